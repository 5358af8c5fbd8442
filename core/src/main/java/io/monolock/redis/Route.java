// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one call to the server that has its keys, one after the other until it is
 * answered.
 */
interface Route {

  /** The connection if it can be used at once. */
  @Nullable PipelinedConnection usable();

  /** The connection as soon as it can be used; opens it if necessary. */
  CompletableFuture<PipelinedConnection> open();

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
