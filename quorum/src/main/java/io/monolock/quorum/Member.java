// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import org.jspecify.annotations.Nullable;

/** One of the stores of a quorum. */
final class Member {

  final LockStore store;
  final ReleaseRetries retries;
  final int number;

  /** The number is its place in the quorum, 1 for the first. */
  Member(LockStore store, int number, QuorumSettings settings) {
    this.store = store;
    this.number = number;
    this.retries = new ReleaseRetries(settings);
  }

  /** A transient failure of this member. */
  StoreFailure failure(StoreProblem.Reason reason, String what, @Nullable Throwable cause) {
    return new StoreFailure(reason, true, this + " " + what, cause);
  }

  @Override
  public String toString() {
    return "member " + number;
  }
}
