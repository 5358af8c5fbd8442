// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A command on its way.
 *
 * @param token whose keys it is about; empty when that does not matter
 * @param next the token that is to have them after a transfer, else empty
 * @param time the ttl, or how long to keep the keys
 * @param process the one that sent it
 * @param script what it does over a connection, and answers; null for nothing
 */
public record Command(
    Kind kind,
    LockKeys keys,
    String token,
    String next,
    Duration time,
    SimulatedProcess process,
    Function<Connection, @Nullable Object> script) {

  /** Which script it runs. */
  public enum Kind {
    ACQUIRE,
    EXTEND,
    RELEASE,
    REMAINING,
    TRANSFER,
    RAISE_FENCE,
    INSPECT,
    FORCE_RELEASE,
    DECLARE_NEW,
    WAIT
  }

  /** Whether a server that is out of memory refuses it. */
  boolean needsMemory() {
    return kind == Kind.ACQUIRE || kind == Kind.TRANSFER || kind == Kind.RAISE_FENCE;
  }

  /** Of a token that the story is to tell apart. */
  public static String shortened(String token) {
    return token.substring(0, Math.min(4, token.length()));
  }

  @Override
  public String toString() {
    String to = next.isEmpty() ? "" : " to " + shortened(next);
    String of = token.isEmpty() ? "" : " of " + shortened(token);
    return kind + " " + keys + of + to + (time.isZero() ? "" : " for " + time.toMillis() + " ms");
  }
}
