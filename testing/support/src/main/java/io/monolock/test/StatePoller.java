// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits until servers reach a state, for a limited time. */
record StatePoller(String subject, Duration timeout) {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

  /**
   * Polls; a server that answers with an error counts as missing.
   *
   * @param goal what the subject must be
   * @param missing what the state still lacks; empty once it is reached
   * @throws IllegalStateException if something is still missing at the timeout; the message lists
   *     it
   */
  void until(String goal, Supplier<List<String>> missing) {
    long end = System.nanoTime() + timeout.toNanos();
    List<String> left = poll(missing);
    while (!left.isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "%s must be %s within %s, but %s"
                .formatted(subject, goal, timeout, String.join("; ", left)));
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
      left = poll(missing);
    }
  }

  private static List<String> poll(Supplier<List<String>> missing) {
    try {
      return missing.get();
    } catch (RedisException e) {
      return List.of("a server answered " + e);
    }
  }
}
