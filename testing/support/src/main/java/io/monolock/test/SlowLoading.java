// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Prepares a snapshot that a server loads slowly at its next start while it answers commands. */
final class SlowLoading {

  private static final int KEYS = 200;
  private static final int KEY_SIZE = 1 << 10;
  // before version 7, a loading Redis looks at its clients every 2 MiB, and no setting changes that
  private static final int OLD_KEYS = 10;
  private static final int OLD_KEY_SIZE = 2 << 20;
  private static final Duration SHORTEST = Duration.ofMillis(20);

  private static final String FILL =
      "redis.call('SELECT', 15) for i = 1, ARGV[1] do "
          + "redis.call('SET', 'monolock-slow-loading:' .. i, string.rep('x', ARGV[2])) end";

  private SlowLoading() {}

  /** Stores a snapshot; returns the settings with which loading it takes at least that time. */
  static List<String> prepare(RedisServer server, Duration time) {
    if (time.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException("time must be 20 ms or more, was " + time);
    }
    if (!Objects.equals(
        server.command("CONFIG", "GET", "appendonly"), List.of("appendonly", "no"))) {
      throw new IllegalStateException("A persistent server loads its log, not a snapshot");
    }
    // compressed keys would fit into one step of loading, and Redis answers only between steps
    server.configure("rdbcompression", "no");
    boolean isOld = server.version().matches("[0-6]\\..*");
    int keys = isOld ? OLD_KEYS : KEYS;
    server.command("EVAL", FILL, "0", "" + keys, "" + (isOld ? OLD_KEY_SIZE : KEY_SIZE));
    server.command("SAVE");
    String delay = "key-load-delay " + (time.toNanos() / 1_000 / keys + 1);
    return isOld
        ? List.of(delay)
        : List.of(delay, "loading-process-events-interval-bytes " + KEY_SIZE);
  }
}
