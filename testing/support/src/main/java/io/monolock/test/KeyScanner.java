// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.List;

/** Lists the keys of a server, and which of them never expire. */
public final class KeyScanner {

  private static final long NO_TTL = -1;

  private final RedisServer server;

  private KeyScanner(RedisServer server) {
    this.server = server;
  }

  /**
   * Creates a scanner of database 0.
   *
   * @param server the server; each call reads its present keys
   * @return the scanner
   */
  public static KeyScanner of(RedisServer server) {
    return new KeyScanner(server);
  }

  /**
   * The present keys.
   *
   * @param pattern a pattern of {@code KEYS}, such as {@code lock:*}
   * @return their names, sorted
   */
  public List<String> matching(String pattern) {
    return server.command("KEYS", pattern) instanceof List<?> keys
        ? keys.stream().map(String::valueOf).sorted().toList()
        : List.of();
  }

  /**
   * The present keys that never expire.
   *
   * @param pattern a pattern of {@code KEYS}, such as {@code lock:*}
   * @return their names, sorted
   */
  public List<String> withoutTtl(String pattern) {
    return matching(pattern).stream()
        .filter(key -> server.commandAsLong("PTTL", key) == NO_TTL)
        .toList();
  }
}
