// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.Objects;

/** Reads the lines that servers describe themselves with. */
final class Info {

  private Info() {}

  /**
   * What a server says of itself in a line {@code field:value}; the empty text if there is none.
   */
  static String field(RedisServer server, String question, String field) {
    String prefix = field + ":";
    return Objects.requireNonNull(server.commandAsString(question.split(" ")))
        .lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .findFirst()
        .orElse("");
  }
}
