// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The largest ttl in use: the one that was set, or else the largest one asked for so far. */
final class LargestTtl {

  private static final Duration UNKNOWN = Duration.ofMinutes(1);

  private final boolean isSet;
  private volatile Duration largest; // written under the monitor

  LargestTtl(@Nullable Duration set) {
    this.isSet = set != null;
    this.largest = set != null ? set : Duration.ZERO;
  }

  Duration get() {
    return largest;
  }

  /** How long a lock may live whose ttl is unknown, as it was taken by another store. */
  Duration orLonger() {
    return largest.compareTo(UNKNOWN) < 0 ? UNKNOWN : largest;
  }

  /** Counts the ttl; fails if it is larger than what was set. */
  Mono<Void> use(Duration ttl) {
    return Mono.defer(
        () -> {
          Duration known = largest;
          if (ttl.compareTo(known) <= 0) {
            return Mono.empty();
          }
          if (isSet) {
            return Mono.error(tooLarge(ttl, known));
          }
          raise(ttl);
          return Mono.empty();
        });
  }

  private synchronized void raise(Duration ttl) {
    if (ttl.compareTo(largest) > 0) {
      largest = ttl;
    }
  }

  private static StoreFailure tooLarge(Duration ttl, Duration largest) {
    return new StoreFailure(
        StoreProblem.Reason.MISUSE,
        false,
        "ttl must be at most the largestTtl of the quorum, " + largest + ", was " + ttl,
        null);
  }
}
