// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.Objects;

/** Reads fields of replies such as that to {@code INFO}. */
final class Info {

  private Info() {}

  /** The value in a line {@code field:value} of a reply; the empty text if there is none. */
  static String field(RedisServer server, String command, String field) {
    String prefix = field + ":";
    return Objects.requireNonNull(server.commandAsString(command.split(" ")))
        .lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .findFirst()
        .orElse("");
  }
}
