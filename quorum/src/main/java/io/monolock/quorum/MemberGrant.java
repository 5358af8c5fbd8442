// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.Grant;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What a member answered to an attempt, and whether that counts.
 *
 * @param grant granted or busy
 * @param objection why a grant of this member does not count, empty if it does
 */
record MemberGrant(Grant grant, Optional<StoreFailure> objection) {

  static final Comparator<Optional<Duration>> NEVER_LAST =
      Comparator.comparing(
          remaining -> remaining.orElse(null), Comparator.nullsLast(Comparator.naturalOrder()));

  boolean isGranted() {
    return grant instanceof Grant.Granted;
  }

  boolean isVote() {
    return isGranted() && objection.isEmpty();
  }

  /**
   * Busy until so many of the members that refused are free as are missing for a majority.
   *
   * @param missing how many votes were missing, at least 1
   */
  static Grant refusal(Collection<MemberGrant> grants, int missing) {
    List<Optional<Duration>> ends =
        grants.stream()
            .map(MemberGrant::grant)
            .filter(Grant.Busy.class::isInstance)
            .map(grant -> ((Grant.Busy) grant).remaining())
            .sorted(NEVER_LAST)
            .toList();
    return new Grant.Busy(ends.get(Math.min(missing, ends.size()) - 1));
  }
}
