// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The pauses and time limits of this package. They have one thread for all stores, so that no other
 * work delays them; it ends when it has nothing to wait for. Tasks are short and do not block.
 */
final class Delays {

  private static final ScheduledThreadPoolExecutor EXECUTOR = executor();

  private Delays() {}

  private static ScheduledThreadPoolExecutor executor() {
    ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1, Delays::thread);
    executor.setKeepAliveTime(1, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    executor.setRemoveOnCancelPolicy(true);
    return executor;
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "monolock-redis-delays");
    thread.setDaemon(true);
    // or it would keep an application loaded
    thread.setContextClassLoader(null);
    return thread;
  }

  static void now(Runnable task) {
    EXECUTOR.execute(task);
  }

  static Future<?> after(Duration delay, Runnable task) {
    return EXECUTOR.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Takes a task back, in the thread of the tasks: to remove one may take waiting for a lock. */
  static void cancel(Future<?> task) {
    EXECUTOR.execute(() -> task.cancel(false));
  }
}
