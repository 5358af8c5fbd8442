// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A fault of servers that takes long and runs in a thread of its own, one at a time. */
final class ServerOperation {

  private volatile Thread worker = new Thread();

  /** Whether an operation is under way. */
  boolean isUnderWay() {
    return worker.isAlive();
  }

  /**
   * Begins an operation; none must be under way. If it fails because of other faults, it is given
   * up.
   */
  void begin(FaultInjector injector, Runnable steps) {
    Thread worker =
        new Thread(
            () -> {
              try {
                steps.run();
              } catch (RedisException | IllegalStateException e) {
                injector.say("given up: " + e.getMessage());
              }
            },
            "chaos-operation");
    worker.setDaemon(true);
    this.worker = worker;
    worker.start();
  }

  /** Waits until no operation is under way. */
  void await() {
    try {
      worker.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits within an operation. */
  static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
