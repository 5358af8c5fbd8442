// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The way of one call to the server that has its keys. */
interface Route {

  /** The connection if it can be used at once. */
  @Nullable PipelinedConnection usable();

  /** The connection as soon as it can be used; opens it if necessary. */
  CompletableFuture<PipelinedConnection> open();

  /** Sends what has to precede the call. */
  default void precede(PipelinedConnection link) {}

  /**
   * Told that the connection could not be opened.
   *
   * @return another way to try, null if there is none
   */
  default @Nullable Route afterOpening(Throwable failure) {
    return null;
  }

  /**
   * Told what the call has failed with.
   *
   * @param link the connection that it was sent over
   * @return the way to whom the server names instead, null if the call has failed for good
   */
  default @Nullable Route after(PipelinedConnection link, Throwable failure) {
    return null;
  }
}
