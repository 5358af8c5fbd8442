// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import org.jspecify.annotations.Nullable;

/**
 * A release does not say that the lock was no longer ours when it was this release that freed it.
 */
final class TruthfulRelease extends Rule {

  TruthfulRelease(Checker checker) {
    super(checker);
  }

  @Override
  void ended(Call call) {
    @Nullable Handle handle = call.handle;
    if (call.kind != Call.Kind.RELEASE || handle == null || !call.values.contains(false)) {
      return;
    }
    TokenFacts facts = checker.facts(handle.token);
    if (facts.isShared
        || facts.freedSince(handle.releaseAskedAt) < checker.losses.majority()
        || checker.losses.byMajority(handle.call.askedAt)
        || checker.losses.wasForced(handle.keys.asList().get(0))) {
      return;
    }
    broken(
        "false though it freed the keys" + checker.settings.kind(),
        handle.token,
        call + " of " + handle);
  }
}
