// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** A snapshot that a server loads slowly at its next start, answering in between. */
final class SlowLoading {

  private static final int KEYS = 200;
  private static final int KEY_SIZE = 1_024;
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
    // else all keys would fit into one step of loading, and Redis answers only between steps
    server.configure("rdbcompression", "no");
    server.command("EVAL", FILL, "0", "" + KEYS, "" + KEY_SIZE);
    server.command("SAVE");
    return List.of(
        "key-load-delay " + (time.toNanos() / 1_000 / KEYS + 1),
        "loading-process-events-interval-bytes " + KEY_SIZE);
  }
}
