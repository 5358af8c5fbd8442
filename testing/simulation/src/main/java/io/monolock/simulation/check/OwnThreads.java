// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.World.Role;

/** Code of the user's runs on the scheduler for signals, or on the caller's own thread. */
final class OwnThreads extends Rule {

  OwnThreads(Checker checker) {
    super(checker);
  }

  @Override
  void userCode(String what) {
    Role role = checker.world.role();
    if (role == Role.EVENT_LOOP || role == Role.TIMER) {
      broken("user's code on " + role, "", what + " at " + checker.world.now());
    }
  }
}
