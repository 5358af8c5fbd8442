// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;

/** Nothing is prolonged for a handle that has ended. */
final class OwnerOnly extends Rule {

  OwnerOnly(Checker checker) {
    super(checker);
  }

  @Override
  void sent(Command command) {
    if (command.kind() == Command.Kind.EXTEND) {
      TokenFacts facts = checker.facts(command.token());
      if (!facts.hasValidHandle() && facts.attaching == 0 && !facts.isShared) {
        broken("an ended handle is prolonged", command.token(), command.toString());
      }
    }
  }
}
