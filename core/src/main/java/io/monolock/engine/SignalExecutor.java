// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Where signals to callers and observers run: on the users' scheduler, never on the thread of the
 * store or the timer. As a {@link Scheduler} it measures delays by the locker's timer.
 *
 * <p>On {@code Schedulers.parallel()}, the default, signals share a few tasks, see {@link
 * SignalQueue}. On a scheduler of the user's, or when hooks wrap what is scheduled, each signal is
 * a task of its own, so that it runs in no other one's hook. What goes wrong there has one rule:
 *
 * <ul>
 *   <li>A scheduler that is full is tried again, in order, until it has room.
 *   <li>One that is gone for good, or throws, is replaced by a thread of our own, so that every
 *       Mono ends.
 *   <li>One that runs tasks at once, on the calling thread, gets a signal within another one only
 *       after that, so that nothing recurses.
 *   <li>What a signal throws is logged, and no other signal is affected.
 * </ul>
 */
final class SignalExecutor implements Scheduler {

  private static final Logger LOG = LoggerFactory.getLogger(SignalExecutor.class);
  private static final long SHORTEST_PAUSE_MS = 1;
  private static final long LONGEST_PAUSE_MS = 64;
  private static final Runnable NOTHING = new Nothing();

  /** Signals for a thread that is running one. */
  private static final ThreadLocal<@Nullable Deque<Runnable>> NESTED = new ThreadLocal<>();

  private static final ThreadPoolExecutor OWN_THREAD =
      new ThreadPoolExecutor(
          0,
          1,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          task -> {
            Thread thread = new Thread(task, "monolock-signals");
            thread.setDaemon(true);
            return thread;
          });

  /** To see whether a hook wraps what is scheduled. */
  private static final class Nothing implements Runnable {
    @Override
    public void run() {}
  }

  private final Scheduler timer;

  /** Null for the default. */
  private final @Nullable Scheduler users;

  private final SignalQueue shared;

  /** Signals that the scheduler had no room for, in order. */
  private final Deque<Runnable> rejected = new ArrayDeque<>(); // guarded by itself

  private volatile boolean anyRejected; // written under rejected

  SignalExecutor(Scheduler timer, @Nullable Scheduler users) {
    this.timer = timer;
    this.users = users;
    this.shared = new SignalQueue(timer, OWN_THREAD);
  }

  /** Runs a signal to users, soon and on their threads. */
  void run(Runnable signal) {
    if (users == null && !isHooked()) {
      shared.run(signal);
    } else {
      give(() -> runFlat(signal));
    }
  }

  private static boolean isHooked() {
    try {
      return Schedulers.onSchedule(NOTHING) != NOTHING;
    } catch (Throwable e) {
      return true; // so that it throws again where a task is lost by it, and is logged
    }
  }

  private Scheduler scheduler() {
    return users != null ? users : Schedulers.parallel();
  }

  private void give(Runnable task) {
    if (anyRejected) {
      synchronized (rejected) {
        if (!rejected.isEmpty()) {
          rejected.addLast(task);
          return;
        }
      }
    }
    if (!isTaken(task)) {
      postpone(task);
    }
  }

  /** Whether a thread will run the task; false if there is no room for it now. */
  private boolean isTaken(Runnable task) {
    Scheduler scheduler = scheduler();
    try {
      scheduler.schedule(task);
      return true;
    } catch (RejectedExecutionException e) {
      if (!scheduler.isDisposed()) {
        return false;
      }
      OWN_THREAD.execute(task);
      return true;
    } catch (Throwable e) {
      LOG.error("the scheduler {}, or a hook of it, has thrown", scheduler, e);
      OWN_THREAD.execute(task);
      return true;
    }
  }

  private void postpone(Runnable task) {
    boolean isFirst;
    synchronized (rejected) {
      isFirst = rejected.isEmpty();
      rejected.addLast(task);
      anyRejected = true;
    }
    if (isFirst) {
      tryLater(SHORTEST_PAUSE_MS);
    }
  }

  private void tryLater(long pause) {
    try {
      timer.schedule(() -> tryAgain(pause), pause, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      OWN_THREAD.execute(() -> tryAgain(pause)); // the locker is closed
    }
  }

  private void tryAgain(long pause) {
    while (true) {
      Runnable task;
      synchronized (rejected) {
        task = rejected.peekFirst();
        if (task == null) {
          anyRejected = false;
          return;
        }
      }
      if (!isTaken(task)) {
        tryLater(Math.min(2 * pause, LONGEST_PAUSE_MS));
        return;
      }
      synchronized (rejected) {
        rejected.removeFirst();
      }
    }
  }

  /** Runs the signal now, or after the one that this thread is running. */
  private static void runFlat(Runnable signal) {
    Deque<Runnable> running = NESTED.get();
    if (running != null) {
      running.addLast(signal);
      return;
    }
    Deque<Runnable> nested = new ArrayDeque<>(2);
    NESTED.set(nested);
    try {
      for (Runnable next = signal; next != null; next = nested.pollFirst()) {
        runSafely(next);
      }
    } finally {
      NESTED.remove();
    }
  }

  /** Runs the signal and logs what it throws, be it fatal or checked. */
  static void runSafely(Runnable signal) {
    try {
      signal.run();
    } catch (Throwable e) {
      LOG.error("a subscriber has thrown instead of signalling an error", e);
    }
  }

  @Override
  public Disposable schedule(Runnable task) {
    Disposable.Swap scheduled = Disposables.swap();
    run(
        () -> {
          if (!scheduled.isDisposed()) {
            task.run();
          }
        });
    return scheduled;
  }

  @Override
  public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
    Disposable.Composite steps = Disposables.composite();
    steps.add(timer.schedule(() -> steps.add(schedule(task)), delay, unit));
    return steps;
  }

  @Override
  public long now(TimeUnit unit) {
    return timer.now(unit);
  }

  @Override
  public Worker createWorker() {
    Disposable.Composite tasks = Disposables.composite();
    return new Worker() {
      @Override
      public Disposable schedule(Runnable task) {
        return added(SignalExecutor.this.schedule(task));
      }

      @Override
      public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
        return added(SignalExecutor.this.schedule(task, delay, unit));
      }

      private Disposable added(Disposable task) {
        tasks.add(task);
        return task;
      }

      @Override
      public void dispose() {
        tasks.dispose();
      }

      @Override
      public boolean isDisposed() {
        return tasks.isDisposed();
      }
    };
  }
}
