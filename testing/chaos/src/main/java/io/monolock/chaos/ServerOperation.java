// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** What takes long to do to servers, one after the other, while the nemesis goes on. */
final class ServerOperation {

  private volatile Thread worker = new Thread();

  /** Whether one is under way. */
  boolean isUnderWay() {
    return worker.isAlive();
  }

  /**
   * Begins one, when none is under way. One that fails, as other faults are in its way, is given
   * up.
   */
  void begin(FaultInjector nemesis, Runnable steps) {
    Thread worker =
        new Thread(
            () -> {
              try {
                steps.run();
              } catch (RedisException | IllegalStateException e) {
                nemesis.say("given up: " + e.getMessage());
              }
            },
            "chaos-operation");
    worker.setDaemon(true);
    this.worker = worker;
    worker.start();
  }

  /** Waits until none is under way. */
  void await() {
    try {
      worker.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets some time pass within one. */
  static void pass(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
