// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;

/** Nothing is prolonged for a handle that has ended. */
final class OwnerOnly extends Rule {

  private static final long LONGEST_TURN = 5_000_000_000L;

  OwnerOnly(Checker checker) {
    super(checker);
  }

  @Override
  void sent(Command command) {
    if (command.kind() != Command.Kind.EXTEND) {
      return;
    }
    TokenFacts facts = checker.facts(command.token());
    if (!facts.hasValidHandle()
        && facts.attaching == 0
        && !facts.isShared
        && !mayWaitForItsTurn(facts)) {
      broken("an ended handle is prolonged", command.token(), command.toString());
    }
  }

  /** A member that has not answered an earlier call yet is asked a little later. */
  private boolean mayWaitForItsTurn(TokenFacts facts) {
    long longAgo = checker.world.now() - LONGEST_TURN;
    return checker.servers.size() > 1
        && facts.handles.stream()
            .anyMatch(handle -> handle.invalidSince == 0 || handle.invalidSince > longAgo);
  }
}
