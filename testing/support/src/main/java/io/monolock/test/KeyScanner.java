// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.List;

/** Looks at which keys a server has and whether they will go by themselves. */
public final class KeyScanner {

  private static final long NO_TTL = -1;

  private final RedisServer server;

  private KeyScanner(RedisServer server) {
    this.server = server;
  }

  /**
   * Looks at the keys of database 0.
   *
   * @param server the server; each question asks it anew
   * @return the scanner
   */
  public static KeyScanner of(RedisServer server) {
    return new KeyScanner(server);
  }

  /**
   * The keys that are there now.
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
   * The keys that are there now and will stay for ever.
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
