// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** The answer to an attempt to take keys: granted, or busy. */
public sealed interface Grant {

  /**
   * How long keys may be trusted that were granted for this ttl, counted from before the command
   * was sent: the clock of a server may run faster than ours by 1 % and 2 ms.
   *
   * @param ttl the ttl asked for
   * @return that much less; negative for a ttl of some milliseconds
   */
  static Duration trustedFor(Duration ttl) {
    return ttl.minusNanos(ttl.toNanos() / 100 + 2_000_000);
  }

  /**
   * All keys are ours now, for at least the ttl asked for.
   *
   * @param fresh true if none of the keys was ours before; false if the token held at least one of
   *     them already
   * @param fencingToken the number of this acquisition, present when it was asked for
   */
  record Granted(boolean fresh, OptionalLong fencingToken) implements Grant {}

  /**
   * Another holder has at least one of the keys; nothing was written.
   *
   * @param remaining the longest time that a foreign holder still has, empty when one of them holds
   *     a key that never expires
   */
  record Busy(Optional<Duration> remaining) implements Grant {}
}
