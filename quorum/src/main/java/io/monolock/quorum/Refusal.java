// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.Grant;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Says for how long no majority can be had. */
final class Refusal {

  private static final Comparator<Optional<Duration>> NEVER_LAST =
      Comparator.comparing(
          remaining -> remaining.orElse(null), Comparator.nullsLast(Comparator.naturalOrder()));

  private Refusal() {}

  /**
   * Busy until as many of the members that refused have become free as are missing.
   *
   * @param missing how many more would have been a majority, at least 1
   */
  static Grant of(Collection<MemberGrant> ballots, int missing) {
    List<Optional<Duration>> ends =
        ballots.stream()
            .map(MemberGrant::grant)
            .filter(Grant.Busy.class::isInstance)
            .map(grant -> ((Grant.Busy) grant).remaining())
            .sorted(NEVER_LAST)
            .toList();
    return new Grant.Busy(ends.get(Math.min(missing, ends.size()) - 1));
  }
}
