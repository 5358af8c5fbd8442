// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** The answer to an attempt to take keys: granted, or busy. */
public sealed interface Grant {

  /**
   * All keys are ours now, for at least the ttl asked for.
   *
   * @param fresh true if none of the keys was ours before; false if the token held at least one of
   *     them already
   * @param fencingToken the number of this acquisition, present when it was asked for
   */
  record Granted(boolean fresh, OptionalLong fencingToken) implements Grant {}

  /**
   * Somebody else has at least one of the keys; nothing was written.
   *
   * @param remaining the longest time that a foreign holder still has, empty when one of them holds
   *     a key that never expires
   */
  record Busy(Optional<Duration> remaining) implements Grant {}
}
