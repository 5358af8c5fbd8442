// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.NANOSECONDS;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Runs signals in few tasks of {@code Schedulers.parallel()}, as a task for each would cost more
 * than the signal.
 *
 * <p>There is one queue, and a crew of tasks that take signals from it. One task is enough for most
 * loads: it keeps a lock that goes from holder to holder on one thread, and takes no thread from
 * the connection. While signals wait, the timer looks how many were taken. If it were few, as users
 * compute in them, more tasks join. If none was, as a body keeps its thread busy, or the scheduler
 * was shut down and has lost its tasks, a new crew begins; a task of an older crew that is still
 * there goes on until the queue is empty.
 */
final class SignalQueue {

  private static final int LARGEST_CREW = Runtime.getRuntime().availableProcessors();

  /** More tasks join when fewer signals were taken between two looks. */
  private static final int FEW = 128;

  /** A task yields its thread after so many signals, so that other tasks get their turn. */
  private static final int LONGEST_RUN = 64;

  /** One of several tasks leaves after a longest run that was quicker. */
  private static final long QUICK_RUN = MILLISECONDS.toNanos(1);

  private static final long FIRST_LOOK_MS = 2;
  private static final long LONGEST_LOOK_MS = 256;

  private final Scheduler timer;
  private final Executor ownThread;
  private final Queue<Runnable> signals = new ConcurrentLinkedQueue<>();
  private final AtomicLong taken = new AtomicLong();
  private final AtomicBoolean watched = new AtomicBoolean();

  /** How many tasks there are. */
  private volatile AtomicInteger crew = new AtomicInteger();

  SignalQueue(Scheduler timer, Executor ownThread) {
    this.timer = timer;
    this.ownThread = ownThread;
  }

  void run(Runnable signal) {
    signals.add(signal);
    AtomicInteger crew = this.crew;
    if (crew.get() == 0 && crew.compareAndSet(0, 1)) {
      begin(crew);
    }
    watch(FIRST_LOOK_MS);
  }

  private void begin(AtomicInteger crew) {
    try {
      Schedulers.parallel().schedule(() -> takeSome(crew));
    } catch (RejectedExecutionException e) {
      ownThread.execute(() -> takeSome(crew));
    }
  }

  private void takeSome(AtomicInteger crew) {
    long begunAt = timer.now(NANOSECONDS);
    int ran = 0;
    while (true) {
      if (ran++ == LONGEST_RUN) {
        if (timer.now(NANOSECONDS) - begunAt >= QUICK_RUN || !isLeft(crew)) {
          begin(crew);
        }
        return;
      }
      Runnable signal = signals.poll();
      if (signal != null) {
        taken.incrementAndGet();
        SignalExecutor.runSafely(signal);
      } else {
        crew.decrementAndGet();
        if (signals.isEmpty() || !crew.compareAndSet(0, 1)) {
          return;
        }
      }
    }
  }

  /** Whether this task has left the crew, as there are others. */
  private static boolean isLeft(AtomicInteger crew) {
    int size = crew.get();
    return size > 1 && crew.compareAndSet(size, size - 1);
  }

  /** Looks after a while whether signals are taken. */
  private void watch(long pause) {
    if (!watched.get() && watched.compareAndSet(false, true)) {
      long before = taken.get();
      try {
        timer.schedule(() -> look(before, pause), pause, MILLISECONDS);
      } catch (RejectedExecutionException e) {
        watched.set(false);
        beginAnew(); // the locker is closed, and its timer gone
      }
    }
  }

  private void look(long before, long pause) {
    watched.set(false);
    if (signals.isEmpty()) {
      return;
    }
    long since = taken.get() - before;
    if (since == 0) {
      beginAnew();
      watch(Math.min(2 * pause, LONGEST_LOOK_MS));
      return;
    }
    if (since < FEW) {
      grow();
    }
    watch(FIRST_LOOK_MS);
  }

  /** Doubles the crew. */
  private void grow() {
    AtomicInteger crew = this.crew;
    int size = crew.get();
    int larger = Math.min(2 * size, LARGEST_CREW);
    if (size < larger && crew.compareAndSet(size, larger)) {
      for (int i = size; i < larger; i++) {
        begin(crew);
      }
    }
  }

  private void beginAnew() {
    AtomicInteger fresh = new AtomicInteger(1);
    crew = fresh;
    begin(fresh);
  }
}
