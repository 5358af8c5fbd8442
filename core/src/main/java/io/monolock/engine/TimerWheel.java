// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Runs tasks at their time: deadlines, refreshes, timeouts.
 *
 * <h2>Why not one timer a task</h2>
 *
 * <p>Almost every task of a lock is cancelled before its time: the lock is released, the answer
 * comes. A task that is far off therefore only lies in a bucket, which costs linking it in and out.
 * One interval for the whole locker ticks over the buckets and hands those tasks to the exact timer
 * that are due before the next tick, so that the tick may be coarse and the time is exact all the
 * same. The interval runs only while a bucket holds a task.
 *
 * <p>The buckets form a ring that is a little longer than the horizon. A task beyond the horizon
 * lies in the last bucket before it, and is placed again when its time comes. So is one that got
 * into the bucket of an earlier round because the timer was late.
 *
 * <p>A task that the exact timer has already is not taken back from it when it is cancelled, as the
 * queue of such a timer is under a lock, and a caller that cancels must not wait. It then does
 * nothing when it runs.
 */
final class TimerWheel {

  private static final Logger LOG = LoggerFactory.getLogger(TimerWheel.class);
  private static final long TICK = MILLISECONDS.toNanos(100);
  private static final long HORIZON = SECONDS.toNanos(60);

  private final Scheduler timer;
  private final TimerBucket[] ring = new TimerBucket[(int) (HORIZON / TICK) + 40];

  /** The last tick whose tasks went to the exact timer; later ones of it go there directly. */
  private volatile long lastTick = Long.MIN_VALUE;

  private volatile @Nullable Disposable interval;
  private volatile boolean stopped;

  TimerWheel(Scheduler timer) {
    this.timer = timer;
    for (int i = 0; i < ring.length; i++) {
      ring[i] = new TimerBucket();
    }
  }

  long now() {
    return timer.now(NANOSECONDS);
  }

  Task after(Duration delay, Runnable action) {
    return at(Nanos.after(now(), delay), action);
  }

  /**
   * As {@link #after}, for the end of something that a caller waits for: it comes early, at once,
   * when the wheel is stopped.
   */
  Task limit(Duration delay, Runnable action) {
    Task task = new Limit(Nanos.after(now(), delay), action);
    if (stopped) {
      task.run();
    } else {
      place(task);
      if (stopped) {
        task.run();
      }
    }
    return task;
  }

  /** Completes on the timer after the delay. */
  Mono<Void> delay(Duration delay) {
    return Mono.create(sink -> sink.onDispose(after(delay, sink::success)::cancel));
  }

  /** Runs the action on the timer at this time, or as soon as possible if that is past. */
  Task at(long time, Runnable action) {
    Task task = new Task(time, action);
    place(task);
    return task;
  }

  private void place(Task task) {
    if (stopped || task.action == null) {
      return;
    }
    long now = now();
    long tick = Math.floorDiv(Math.min(task.time, now + HORIZON), TICK);
    if (task.time < now + TICK || !isPut(task, tick)) {
      arm(task);
      return;
    }
    if (task.action == null) {
      task.unlink();
    }
    keepTicking();
  }

  /** False if the tasks of this tick went to the exact timer already. */
  private boolean isPut(Task task, long tick) {
    TimerBucket bucket = bucket(tick);
    synchronized (bucket) {
      if (tick <= lastTick) {
        return false;
      }
      bucket.add(task);
      return true;
    }
  }

  private void arm(Task task) {
    try {
      timer.schedule(task, Math.max(0, task.time - now()), NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.error("the timer of a locker is disposed; deadlines are no longer signalled", e);
    }
  }

  private TimerBucket bucket(long tick) {
    return ring[Math.floorMod(tick, ring.length)];
  }

  /** Runs the limits now; other tasks that are not due yet never run. */
  void stop() {
    stopped = true;
    for (TimerBucket bucket : ring) {
      for (Task task = bucket.empty(); task != null; ) {
        Task next = task.next;
        task.next = null;
        task.run();
        task = next;
      }
    }
  }

  /** How many tasks lie in the buckets. */
  int size() {
    int size = 0;
    for (TimerBucket bucket : ring) {
      size += bucket.size();
    }
    return size;
  }

  private boolean isEmpty() {
    return Arrays.stream(ring).allMatch(TimerBucket::isEmpty);
  }

  private void keepTicking() {
    if (interval != null) {
      return;
    }
    synchronized (this) {
      if (interval == null && !stopped) {
        interval =
            Flux.interval(Duration.ofNanos(TICK), timer)
                .onBackpressureDrop()
                .subscribe(any -> tick(), e -> LOG.error("the timer of a locker has stopped", e));
      }
    }
  }

  private void tick() {
    long due = Math.floorDiv(now(), TICK) + 1;
    long first = Math.max(lastTick + 1, due - ring.length + 1);
    lastTick = due;
    for (long tick = first; tick <= due; tick++) {
      Task task = bucket(tick).empty();
      while (task != null) {
        Task next = task.next;
        task.next = null;
        place(task);
        task = next;
      }
    }
    if (isEmpty()) {
      stopTicking();
      if (!isEmpty()) {
        keepTicking();
      }
    }
  }

  private synchronized void stopTicking() {
    Disposable running = interval;
    interval = null;
    if (running != null) {
      running.dispose();
    }
  }

  /** Something to run at its time, unless it is cancelled before. */
  class Task implements Runnable {

    private final long time;

    /** Null when it ran or is cancelled, so that what waits in the timer keeps nothing alive. */
    private volatile @Nullable Runnable action;

    volatile @Nullable TimerBucket bucket;
    @Nullable Task previous; // guarded by the bucket
    @Nullable Task next; // guarded by the bucket

    private Task(long time, Runnable action) {
      this.time = time;
      this.action = action;
    }

    final long time() {
      return time;
    }

    boolean mayRun() {
      return !stopped;
    }

    @Override
    public final void run() {
      Runnable action = this.action;
      if (action != null && mayRun()) {
        this.action = null;
        SignalExecutor.runSafely(action);
      }
    }

    final void cancel() {
      action = null;
      unlink();
    }

    private void unlink() {
      TimerBucket bucket = this.bucket;
      if (bucket != null) {
        bucket.remove(this);
      }
    }
  }

  /** Runs also when the wheel is stopped. */
  private final class Limit extends Task {

    Limit(long time, Runnable action) {
      super(time, action);
    }

    @Override
    boolean mayRun() {
      return true;
    }
  }
}
