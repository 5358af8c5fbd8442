// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The way of a call, wherever that leads, and which connection it was sent over at last.
 *
 * @param route the way at the moment
 * @param last the connection, null until it is sent
 */
record Trail(Route route, AtomicReference<@Nullable PipelinedConnection> last) implements Route {

  Trail(Route route) {
    this(route, new AtomicReference<>());
  }

  @Override
  public @Nullable PipelinedConnection usable() {
    return route.usable();
  }

  @Override
  public CompletableFuture<PipelinedConnection> open() {
    return route.open();
  }

  @Override
  public void precede(PipelinedConnection link) {
    last.set(link);
    route.precede(link);
  }

  @Override
  public @Nullable Route afterOpening(Throwable failure) {
    return followed(route.afterOpening(failure));
  }

  @Override
  public @Nullable Route after(PipelinedConnection link, Throwable failure) {
    return followed(route.after(link, failure));
  }

  private @Nullable Route followed(@Nullable Route other) {
    return other == null ? null : new Trail(other, last);
  }
}
