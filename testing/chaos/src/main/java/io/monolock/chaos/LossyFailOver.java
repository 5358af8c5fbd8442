// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.chaos.CallEvent.HandleHeld;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;

/**
 * A fail-over that may have lost writes: another server became the master of some keys, without all
 * writes that the former one has confirmed.
 *
 * @param keys the keys whose master changed
 * @param from when the new master was last seen as a replica
 * @param until when there was one master again; {@link #NOT_YET} as long as there may be two
 * @param master the new master
 */
record LossyFailOver(Set<String> keys, long from, long until, String master) {

  static final long NOT_YET = Long.MAX_VALUE;

  LossyFailOver {
    keys = Set.copyOf(keys);
  }

  /**
   * Whether it can be the reason for two holders of a key. The former master granted one lock, so
   * that was requested before there was one master again; the new master granted the other one, so
   * the last of them was received when there was a new master.
   */
  boolean explains(String key, HandleHeld one, HandleHeld other) {
    return keys.contains(key)
        && Math.min(one.sent(), other.sent()) <= until
        && Math.max(one.at(), other.at()) >= from;
  }

  /** Whether a release of the key may have been lost, so that its lock still exists. */
  boolean explainsKeyLeft(String key, long now, Duration longestTtl) {
    return keys.contains(key) && (until == NOT_YET || now - until < longestTtl.toNanos());
  }

  /** How long it lasted, 0 if it is not over. */
  long millis() {
    return until == NOT_YET ? 0 : Duration.ofNanos(until - from).toMillis();
  }

  /** A text about the fail-over, with times in milliseconds since the origin. */
  String text(long origin) {
    return String.format(
        Locale.ROOT,
        "%s became the master of %s after %.3f ms, and was the only one by %s ms",
        master,
        keys,
        (from - origin) / 1e6,
        until == NOT_YET ? "-" : String.format(Locale.ROOT, "%.3f", (until - origin) / 1e6));
  }
}
