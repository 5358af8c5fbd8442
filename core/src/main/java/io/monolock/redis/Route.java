// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import org.jspecify.annotations.Nullable;

/**
 * The connections of one call to the server that has its keys, one after the other until it is
 * answered.
 */
interface Route {

  /** The connection if it can be used at once. */
  @Nullable PipelinedConnection usable();

  /**
   * Waits for the connection; opens it if necessary. Calls that wait for the same connection get it
   * in the order in which they asked for it.
   *
   * @param since when the call began to wait, here or on another route
   * @param call gets the connection, or why there is none
   */
  void open(long since, Awaited.Listener<PipelinedConnection> call);

  /** Sends what the server has to get before the call. */
  default void precede(PipelinedConnection connection) {}

  /**
   * Where to try after the connection could not be opened.
   *
   * @return another route, null if there is none
   */
  default @Nullable Route afterOpening(Throwable failure) {
    return null;
  }

  /**
   * Where to try after the call has failed.
   *
   * @param connection the connection that it was sent over
   * @return the route to the server that the error names, null if the call has failed for good
   */
  default @Nullable Route after(PipelinedConnection connection, Throwable failure) {
    return null;
  }
}
