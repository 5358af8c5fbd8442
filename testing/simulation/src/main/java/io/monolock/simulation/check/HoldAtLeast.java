// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Server;
import org.jspecify.annotations.Nullable;

/** A lock that was to be held for a while at least is not freed before, if it was delivered. */
final class HoldAtLeast extends Rule {

  private static final long TOLERANCE = 5_000_000;

  HoldAtLeast(Checker checker) {
    super(checker);
  }

  @Override
  void executed(Server server, Command command, @Nullable Object answer) {
    boolean frees =
        command.kind() == Command.Kind.RELEASE
            ? Boolean.TRUE.equals(answer)
            : command.kind() == Command.Kind.TRANSFER && answer != null;
    TokenFacts facts = checker.facts(command.token());
    if (!frees || facts.isShared) {
      return;
    }
    long keptUntil =
        checker.world.now()
            + (command.kind() == Command.Kind.RELEASE ? command.time().toNanos() : 0);
    for (Handle handle : facts.handles) {
      long least = handle.call.options.holdAtLeast().toNanos();
      boolean isItsOwn = facts.freshlyGrantedAt <= handle.deliveredAt;
      if (least > 0 && isItsOwn && keptUntil < handle.grantedAt + least / 100 * 99 - TOLERANCE) {
        broken(
            "freed too early by " + command.kind(),
            command.token(),
            command
                + " leaves "
                + handle
                + " until "
                + keptUntil
                + ", granted at "
                + handle.grantedAt
                + " for at least "
                + least);
      }
    }
  }
}
