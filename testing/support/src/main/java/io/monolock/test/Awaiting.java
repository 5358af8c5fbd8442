// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits until nothing is missing any more, for a time. */
record Awaiting(String subject, Duration patience) {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

  /**
   * Asks again and again; a server that does not answer is one more thing that is missing.
   *
   * @param goal what the subject must be
   * @param missing what keeps it from being so; nothing once it is
   * @throws IllegalStateException if something is still missing in the end, with what it is
   */
  void until(String goal, Supplier<List<String>> missing) {
    long end = System.nanoTime() + patience.toNanos();
    List<String> left = ask(missing);
    while (!left.isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException(
            "%s must be %s within %s, but %s"
                .formatted(subject, goal, patience, String.join("; ", left)));
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
      left = ask(missing);
    }
  }

  private static List<String> ask(Supplier<List<String>> missing) {
    try {
      return missing.get();
    } catch (RedisException e) {
      return List.of("a server answered " + e);
    }
  }
}
