// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.LockStoreException;
import io.monolock.store.StoreProblem.Reason;

/** A call does not fail for want of an answer when nothing was wrong. */
final class NeedlessFailure extends Rule {

  private static final long LONGEST_COMMAND = 25_000_000_000L;

  NeedlessFailure(Checker checker) {
    super(checker);
  }

  @Override
  void ended(Call call) {
    if (call.error instanceof LockStoreException e
        && e.reason() == Reason.TIMEOUT
        && !call.instance.isClosing()
        && !checker.settings.tightTimeouts()
        && checker.isUntroubled(
            call.instance, Math.max(call.askedAt, checker.world.now() - LONGEST_COMMAND))
        && !checker.losses.mayBarMembers(checker.world.now())
        && checker.isAwakeSince(call.instance, call.askedAt)) {
      broken("a time-out though nothing was wrong", call.keys.asList().get(0), call + " " + e);
    }
  }
}
