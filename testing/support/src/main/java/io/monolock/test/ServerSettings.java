// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The settings of a running server that a test has changed, with their former values. */
final class ServerSettings {

  /** Sends a command and waits for its reply. */
  interface Commands {
    @Nullable Object command(String... words);
  }

  private final Commands server;
  private final Map<String, String> before = new LinkedHashMap<>();

  ServerSettings(Commands server) {
    this.server = server;
  }

  synchronized void change(String directive, String value) {
    String current = current(directive);
    server.command("CONFIG", "SET", directive, value);
    before.putIfAbsent(directive, current);
  }

  synchronized void restore() {
    Set.copyOf(before.keySet()).forEach(this::restore);
  }

  synchronized void restore(String directive) {
    String value = before.get(directive);
    if (value != null) {
      server.command("CONFIG", "SET", directive, value);
      before.remove(directive);
    }
  }

  /** The server has been restarted with its first settings. */
  synchronized void forget() {
    before.clear();
  }

  private String current(String directive) {
    Object reply = server.command("CONFIG", "GET", directive);
    if (reply instanceof List<?> pair && pair.size() == 2) {
      return String.valueOf(pair.get(1));
    }
    throw new IllegalArgumentException("directive must be a setting of Redis, was " + directive);
  }
}
