// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
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
 * loads, and keeps a lock that goes from holder to holder on one thread; more join while many
 * signals wait. A body may keep its thread busy, and a scheduler that is shut down loses the tasks
 * that it has. So while signals wait, the timer looks whether any was taken; if not, a new crew
 * begins. A task of an older crew that is still there goes on until the queue is empty.
 */
final class SignalQueue {

  private static final int LARGEST_CREW = Runtime.getRuntime().availableProcessors();

  /** One more task joins when so many signals wait for each. */
  private static final int LONG_QUEUE = 16;

  /** A task yields its thread after so many signals, so that other tasks get their turn. */
  private static final int LONGEST_RUN = 64;

  private static final long FIRST_LOOK_MS = 2;
  private static final long LONGEST_LOOK_MS = 256;

  private final Scheduler timer;
  private final Executor ownThread;
  private final Queue<Runnable> signals = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
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
    int length = waiting.incrementAndGet();
    AtomicInteger crew = this.crew;
    int size = crew.get();
    boolean isNeeded = size == 0 || (size < LARGEST_CREW && length > LONG_QUEUE * size);
    if (isNeeded && crew.compareAndSet(size, size + 1)) {
      begin(crew);
    } else {
      watch(FIRST_LOOK_MS);
    }
  }

  private void begin(AtomicInteger crew) {
    try {
      Schedulers.parallel().schedule(() -> takeSome(crew));
    } catch (RejectedExecutionException e) {
      ownThread.execute(() -> takeSome(crew));
    }
  }

  private void takeSome(AtomicInteger crew) {
    int ran = 0;
    while (true) {
      if (ran++ == LONGEST_RUN) {
        begin(crew);
        return;
      }
      Runnable signal = signals.poll();
      if (signal != null) {
        waiting.decrementAndGet();
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

  /** Looks after a while whether signals are taken. */
  private void watch(long pause) {
    if (!watched.get() && watched.compareAndSet(false, true)) {
      long before = taken.get();
      try {
        timer.schedule(() -> look(before, pause), pause, TimeUnit.MILLISECONDS);
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
    if (taken.get() != before) {
      watch(FIRST_LOOK_MS);
    } else {
      beginAnew();
      watch(Math.min(2 * pause, LONGEST_LOOK_MS));
    }
  }

  private void beginAnew() {
    AtomicInteger fresh = new AtomicInteger(1);
    crew = fresh;
    begin(fresh);
  }
}
