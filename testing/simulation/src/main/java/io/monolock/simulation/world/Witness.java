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

  /** A server will never do this for its client. */
  default void denied(Command command) {}

  /**
   * A server has lost these keys, or what was last written there, though their time was not over.
   */
  default void forgot(Server server, Set<String> keys) {}

  /** A server was started again. */
  default void restarted(Server server) {}

  /** Until this true time something is wrong with a server, or the way to it. */
  default void disturbed(long until) {}
}
