// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/**
 * Runs tasks at their time: deadlines, refreshes, time-outs.
 *
 * <h2>Why not one timer a task</h2>
 *
 * <p>Almost every task of a lock is cancelled before its time: the lock is released, the answer
 * comes. A task that is far off therefore only lies in a bucket, which costs one insertion and one
 * removal. One interval for the whole locker ticks over the buckets and hands those tasks to the
 * exact timer that are due before the next tick, so that the tick may be coarse and the time is
 * exact all the same. The interval runs only while a bucket holds something.
 *
 * <p>A task that the exact timer has already is not taken back from it when it is cancelled, as the
 * queue of such a timer is under a lock, and whoever cancels must not wait. It runs as nothing.
 */
final class Wheel {

  private static final Logger LOG = LoggerFactory.getLogger(Wheel.class);
  private static final long TICK = MILLISECONDS.toNanos(100);

  /** Tasks further off than this lie in its last bucket first, so that buckets stay few. */
  private static final long HORIZON = SECONDS.toNanos(60);

  private final Scheduler timer;
  private final ConcurrentNavigableMap<Long, Set<Task>> buckets = new ConcurrentSkipListMap<>();

  /** The last bucket that was handed to the timer; later insertions into it go there directly. */
  private volatile long handedOver = Long.MIN_VALUE;

  private volatile @Nullable Disposable interval;
  private volatile boolean stopped;

  Wheel(Scheduler timer) {
    this.timer = timer;
  }

  long now() {
    return timer.now(NANOSECONDS);
  }

  Task after(Duration delay, Runnable action) {
    return at(now() + delay.toNanos(), action);
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
    if (stopped) {
      return;
    }
    long now = now();
    long bucket = Math.floorDiv(Math.min(task.time, now + HORIZON), TICK);
    if (task.time - now < TICK || bucket <= handedOver) {
      task.arm();
      return;
    }
    Set<Task> others = buckets.computeIfAbsent(bucket, any -> ConcurrentHashMap.newKeySet());
    task.bucket = others;
    others.add(task);
    if (bucket <= handedOver) {
      task.arm();
    }
    if (task.action == null) {
      others.remove(task);
    }
    keepTicking();
  }

  /** Stops with the next tick; tasks that are not due yet never run. */
  void stop() {
    stopped = true;
    buckets.clear();
  }

  boolean isStopped() {
    return stopped;
  }

  /** How many tasks lie in the buckets. */
  int size() {
    return buckets.values().stream().mapToInt(Set::size).sum();
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
    handedOver = due;
    Map.Entry<Long, Set<Task>> first;
    while ((first = buckets.firstEntry()) != null && first.getKey() <= due) {
      buckets.remove(first.getKey());
      first.getValue().forEach(this::place);
    }
    if (buckets.isEmpty()) {
      stopTicking();
      if (!buckets.isEmpty()) {
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
  final class Task implements Runnable {

    private final long time;
    private final AtomicBoolean armed = new AtomicBoolean();

    /** Null when it is cancelled, so that what waits in the timer keeps nothing alive. */
    private volatile @Nullable Runnable action;

    private volatile @Nullable Set<Task> bucket;

    private Task(long time, Runnable action) {
      this.time = time;
      this.action = action;
    }

    long time() {
      return time;
    }

    private void arm() {
      if (action == null || stopped || !armed.compareAndSet(false, true)) {
        return;
      }
      try {
        timer.schedule(this, Math.max(0, time - now()), NANOSECONDS);
      } catch (RejectedExecutionException e) {
        LOG.error("the timer of a locker is disposed; deadlines are no longer told", e);
      }
    }

    @Override
    public void run() {
      Runnable action = this.action;
      if (action != null && !stopped) {
        action.run();
      }
    }

    void cancel() {
      action = null;
      Set<Task> bucket = this.bucket;
      if (bucket != null) {
        bucket.remove(this);
      }
    }
  }
}
