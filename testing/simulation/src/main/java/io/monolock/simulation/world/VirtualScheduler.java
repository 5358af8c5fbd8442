// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.Exceptions;
import reactor.core.scheduler.Scheduler;

/** The clock and the threads of one process, for Reactor. */
final class VirtualScheduler implements Scheduler {

  private final SimulatedProcess process;
  private final LongSupplier hop;
  private long rejectsUntil;

  /**
   * @param hop how long a task waits for a thread
   */
  VirtualScheduler(SimulatedProcess process, LongSupplier hop) {
    this.process = process;
    this.hop = hop;
  }

  void rejectUntil(long time) {
    rejectsUntil = time;
  }

  @Override
  public Disposable schedule(Runnable task) {
    return schedule(task, 0, NANOSECONDS);
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    admit();
    return process.schedule(unit.toNanos(delay) + hop.getAsLong(), task);
  }

  private void admit() {
    if (process.world().now() < rejectsUntil) {
      throw Exceptions.failWithRejected();
    }
  }

  @Override
  public Disposable schedulePeriodically(
      Runnable task, long initialDelay, long period, TimeUnit unit) {
    Disposable.Swap next = Disposables.swap();
    repeat(task, unit.toNanos(initialDelay), unit.toNanos(period), next);
    return next;
  }

  private void repeat(Runnable task, long delay, long period, Disposable.Swap next) {
    long due = process.now() + delay;
    next.replace(
        process.schedule(
            delay,
            () -> {
              task.run();
              if (!next.isDisposed()) {
                repeat(task, due + period - process.now(), period, next);
              }
            }));
  }

  @Override
  public long now(TimeUnit unit) {
    return unit.convert(process.now(), NANOSECONDS);
  }

  @Override
  public Worker createWorker() {
    return new OrderedWorker();
  }

  /** Runs its tasks one after the other, like a thread. */
  private final class OrderedWorker implements Worker {

    private boolean disposed;
    private long last = Long.MIN_VALUE;

    @Override
    public Disposable schedule(Runnable task) {
      return schedule(task, 0, NANOSECONDS);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      if (disposed) {
        throw Exceptions.failWithRejected();
      }
      admit();
      long nanos = unit.toNanos(delay);
      long due = process.now() + nanos + hop.getAsLong();
      if (nanos == 0) {
        last = Math.max(last, due);
        due = last;
      }
      return process.schedule(
          due - process.now(),
          () -> {
            if (!disposed) {
              task.run();
            }
          });
    }

    @Override
    public Disposable schedulePeriodically(
        Runnable task, long initialDelay, long period, TimeUnit unit) {
      return VirtualScheduler.this.schedulePeriodically(
          () -> {
            if (!disposed) {
              task.run();
            }
          },
          initialDelay,
          period,
          unit);
    }

    @Override
    public void dispose() {
      disposed = true;
    }

    @Override
    public boolean isDisposed() {
      return disposed;
    }
  }
}
