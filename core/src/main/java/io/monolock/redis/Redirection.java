// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisCommandExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a server of a cluster answers to a call for keys that it does not have.
 *
 * @param asking whether the other server has the keys but not yet the slot, so that {@code ASKING}
 *     must precede the call
 * @param host of the other server, null if it is that of the answering server
 */
record Redirection(boolean asking, @Nullable String host, int port) {

  private static final Pattern ANSWER = Pattern.compile("(MOVED|ASK) \\d+ (.*):(\\d{1,5})");

  /** The redirection in an error, null if it is something else. */
  static @Nullable Redirection in(Throwable error) {
    if (!(error instanceof RedisCommandExecutionException) || error.getMessage() == null) {
      return null;
    }
    Matcher answer = ANSWER.matcher(error.getMessage());
    if (!answer.matches()) {
      return null;
    }
    String host = answer.group(2);
    int port = Integer.parseInt(answer.group(3));
    if (port == 0) {
      // of a server that the answering one does not know how to reach either
      return null;
    }
    return new Redirection(
        answer.group(1).equals("ASK"), host.isEmpty() || host.equals("?") ? null : host, port);
  }

  /** The address of the other server, given that of the answering one. */
  Address from(Address answering) {
    return new Address(host == null ? answering.host() : host, port);
  }
}
