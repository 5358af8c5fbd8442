// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.Grant;
import io.monolock.store.StoreFailure;
import java.util.Optional;

/**
 * What a member answered to an attempt, and whether that counts.
 *
 * @param grant granted or busy
 * @param objection why a grant of this member does not count, empty if it does
 */
record MemberGrant(Grant grant, Optional<StoreFailure> objection) {

  boolean isGranted() {
    return grant instanceof Grant.Granted;
  }

  boolean isVote() {
    return isGranted() && objection.isEmpty();
  }
}
