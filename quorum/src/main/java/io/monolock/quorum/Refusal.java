// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.Grant;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The refusal of an attempt: how long there can be no majority. */
final class Refusal {

  private static final Comparator<Optional<Duration>> NEVER_LAST =
      Comparator.comparing(
          remaining -> remaining.orElse(null), Comparator.nullsLast(Comparator.naturalOrder()));

  private Refusal() {}

  /**
   * Busy until so many of the members that refused are free as are missing for a majority.
   *
   * @param missing how many votes were missing, at least 1
   */
  static Grant of(Collection<MemberGrant> grants, int missing) {
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
