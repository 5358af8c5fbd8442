// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;

/**
 * A clock that is moved by hand, by one thread at a time, which runs what is due. Other threads may
 * schedule and cancel meanwhile: it has no locks that would order them.
 */
final class HandTimer implements Scheduler {

  private final ConcurrentSkipListSet<TimerTask> tasks =
      new ConcurrentSkipListSet<>(
          Comparator.comparingLong((TimerTask task) -> task.time)
              .thenComparingLong(task -> task.id));
  private final AtomicLong ids = new AtomicLong();
  private volatile long now;
  private volatile boolean disposed;
  private volatile boolean full;

  /** Whether it has room for no task. */
  void full(boolean full) {
    this.full = full;
  }

  /** Runs everything at its time. */
  void pass(Duration duration) {
    runUntil(now + duration.toNanos());
  }

  /** Runs everything at once, late, after that time in which nothing ran. */
  void jump(Duration duration) {
    long end = now + duration.toNanos();
    now = end;
    runUntil(end);
  }

  private void runUntil(long end) {
    TimerTask task;
    while ((task = tasks.isEmpty() ? null : tasks.first()) != null && task.time <= end) {
      if (tasks.remove(task)) {
        now = Math.max(now, task.time);
        task.run();
      }
    }
    now = end;
  }

  @Override
  public long now(TimeUnit unit) {
    return unit.convert(now, NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable task) {
    return schedule(task, 0, NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    return add(task, unit.toNanos(delay), 0);
  }

  @Override
  public Disposable schedulePeriodically(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    return add(task, unit.toNanos(initialDelay), unit.toNanos(period));
  }

  private TimerTask add(Runnable action, long delay, long period) {
    if (disposed || full) {
      throw Exceptions.failWithRejected();
    }
    TimerTask task = new TimerTask(now + delay, ids.incrementAndGet(), period, action);
    tasks.add(task);
    return task;
  }

  @Override
  public Worker createWorker() {
    Disposable.Composite own = Disposables.composite();
    return new Worker() {
      @Override
      public Disposable schedule(Runnable task) {
        return added(HandTimer.this.schedule(task));
      }

      @Override
      public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return added(HandTimer.this.schedule(task, delay, unit));
      }

      @Override
      public Disposable schedulePeriodically(
          Runnable task, long initialDelay, long period, TimeUnit unit) {
        return added(HandTimer.this.schedulePeriodically(task, initialDelay, period, unit));
      }

      private Disposable added(Disposable task) {
        own.add(task);
        return task;
      }

      @Override
      public void dispose() {
        own.dispose();
      }
    };
  }

  /** From now on it takes no task. */
  @Override
  public void dispose() {
    disposed = true;
  }

  private final class TimerTask implements Disposable {

    private final long id;
    private final long period;
    private final Runnable action;
    private volatile long time; // changes only while it is not among the tasks
    private volatile boolean disposed;

    TimerTask(long time, long id, long period, Runnable action) {
      this.time = time;
      this.id = id;
      this.period = period;
      this.action = action;
    }

    void run() {
      if (disposed) {
        return;
      }
      action.run();
      if (period > 0) {
        long next = time + period * (1 + (now - time) / period);
        time = next;
        tasks.add(this);
        if (disposed) {
          tasks.remove(this);
        }
      }
    }

    @Override
    public void dispose() {
      disposed = true;
      tasks.remove(this);
    }
  }
}
