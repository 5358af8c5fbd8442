// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** The answer to an acquisition: granted or busy. */
public sealed interface Grant {

  /**
   * How long a holder may rely on keys that were granted for a ttl, counted from before the command
   * was sent. It is less than the ttl, as the clock of the server may run faster than the local
   * one: by 1 % and 2 ms.
   *
   * @param ttl the ttl asked for
   * @return 99 % of the ttl, less 2 ms; negative for a ttl of less than about 2 ms
   */
  static Duration trustedFor(Duration ttl) {
    return ttl.minusNanos(ttl.toNanos() / 100 + 2_000_000);
  }

  /**
   * All keys carry the token now, and live for at least the ttl asked for.
   *
   * @param fresh true if none of the keys carried the token before; false if at least one did
   * @param fencingToken the fencing number of this acquisition, present when it was asked for
   * @param incarnation of the server that granted, as it was in the same step; present when the
   *     store is a {@linkplain LockStore#becomeMember() member} of a quorum
   */
  record Granted(boolean fresh, OptionalLong fencingToken, Optional<Incarnation> incarnation)
      implements Grant {

    /**
     * A grant of a store that is no member of a quorum.
     *
     * @param fresh true if none of the keys carried the token before
     * @param fencingToken the fencing number, if one was asked for
     */
    public Granted(boolean fresh, OptionalLong fencingToken) {
      this(fresh, fencingToken, Optional.empty());
    }
  }

  /**
   * Another holder has at least one of the keys; nothing was written.
   *
   * @param remaining the longest time to live of the keys of other holders, empty when one of these
   *     keys never expires
   */
  record Busy(Optional<Duration> remaining) implements Grant {}
}
