// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server of a cluster answers to a call for keys that it has not.
 *
 * @param asking whether the other one only has the keys, and not yet the slot: it has to be told
 *     that it is asked on purpose
 * @param host of the other server; without one it is that of the server that says so
 */
record Redirection(boolean asking, @Nullable String host, int port) {

  private static final Pattern ANSWER = Pattern.compile("(MOVED|ASK) \\d+ (.*):(\\d+)");

  /** The redirection that an error says, null if it is something else. */
  static @Nullable Redirection in(Throwable error) {
    if (!(error instanceof RedisCommandExecutionException) || error.getMessage() == null) {
      return null;
    }
    Matcher answer = ANSWER.matcher(error.getMessage());
    if (!answer.matches()) {
      return null;
    }
    String host = answer.group(2);
    return new Redirection(
        answer.group(1).equals("ASK"),
        host.isEmpty() || host.equals("?") ? null : host,
        Integer.parseInt(answer.group(3)));
  }

  /** Where to go, as said by the server at an address. */
  Address from(Address said) {
    return new Address(host == null ? said.host() : host, port);
  }
}
