// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sees everything that happens between stores and servers. */
public interface Witness {

  /** A process has asked its store for this; it may wait for a connection yet. */
  default void sent(Command command) {}

  /**
   * A server has carried out a command.
   *
   * @param answer null for nothing
   */
  default void executed(Server server, Command command, @Nullable Object answer) {}

  /** A command reaches a server late, though its sender was told that it is lost. */
  default void late(Command command) {}

  /** A server does not know the script of a command, which is sent again. */
  default void sentAgain(Command command) {}

  /** A server will never do this for its client. */
  default void denied(Command command) {}

  /**
   * A server has lost these keys, or what was written there last, though their time was not over.
   */
  default void forgot(Server server, Set<String> keys) {}

  /**
   * Until this true time something is wrong with a server, or the way to it.
   *
   * @param process for which one; null for all
   */
  default void disturbed(Server server, @Nullable SimulatedProcess process, long until) {}
}
