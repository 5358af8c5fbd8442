// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Server;
import org.jspecify.annotations.Nullable;

/** One promise of the library, looked at whenever something happens that may break it. */
abstract class Rule {

  final Checker checker;

  Rule(Checker checker) {
    this.checker = checker;
  }

  /** Reports that it is broken. */
  final void broken(String how, String subject, String detail) {
    checker.broken(getClass().getSimpleName() + ": " + how, subject, detail);
  }

  /** A caller subscribes. */
  void asked(Call call) {}

  /** A caller was signalled its last, or has cancelled. */
  void ended(Call call) {}

  /** A caller was given a handle. */
  void delivered(Handle handle) {}

  /** A locker has asked its store. */
  void sent(Command command) {}

  /** A server has carried out a command. */
  void executed(Server server, Command command, @Nullable Object answer) {}

  /** A server will never do this for its client. */
  void denied(Command command) {}

  /** The library calls something of its user's. */
  void userCode(String what) {}

  /** Some milliseconds have passed. */
  void tick() {}

  /** All callers have come to an end, and some time has passed. */
  void whenQuiet() {}

  /** The ttl's of all that was asked for are over, too. */
  void whenSettled() {}

  /** All lockers are closed. */
  void atEnd() {}
}
