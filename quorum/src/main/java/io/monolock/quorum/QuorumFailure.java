// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.util.List;

/** The failure of a call for which there was no majority, made of the failures of the members. */
final class QuorumFailure {

  private QuorumFailure() {}

  /**
   * The failure of the call.
   *
   * @param failures the failures of members, in the order in which they came
   * @param answered how many of how many members answered, as text
   * @param size how many members there are
   * @param inDoubt the reason if the call may have taken effect at a member that failed
   */
  static StoreFailure of(List<StoreFailure> failures, String answered, int size, Reason inDoubt) {
    int needed = size / 2 + 1;
    List<StoreFailure> lasting = failures.stream().filter(f -> !f.isTransient()).toList();
    boolean lasts = lasting.size() > size - needed;
    List<StoreFailure> causes = lasts ? lasting : failures;
    Reason reason;
    if (lasts) {
      reason = lasting.get(0).reason();
    } else if (failures.stream().anyMatch(StoreFailure::isInDoubt)) {
      reason = inDoubt;
    } else {
      reason = commonReason(failures);
    }
    String cause = causes.isEmpty() ? "" : ": " + causes.get(0).getMessage();
    StoreFailure whole =
        new StoreFailure(
            reason,
            !lasts,
            "only %s, %d are needed%s".formatted(answered, needed, cause),
            causes.isEmpty() ? null : causes.get(0));
    causes.stream().skip(1).forEach(whole::addSuppressed);
    return whole;
  }

  /** The reason that all failures have in common, else that too few members are available. */
  private static Reason commonReason(List<StoreFailure> failures) {
    List<Reason> reasons = failures.stream().map(StoreFailure::reason).distinct().toList();
    return reasons.size() == 1 ? reasons.get(0) : Reason.UNAVAILABLE;
  }
}
