// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A route that records which connection the call was sent over last, whichever routes it took.
 *
 * @param route the present route
 * @param sentOver the last connection, null until the call is sent
 */
record RecordingRoute(Route route, AtomicReference<@Nullable PipelinedConnection> sentOver)
    implements Route {

  RecordingRoute(Route route) {
    this(route, new AtomicReference<>());
  }

  @Override
  public @Nullable PipelinedConnection usable() {
    return route.usable();
  }

  @Override
  public void open(long since, Awaited.Listener<PipelinedConnection> call) {
    route.open(since, call);
  }

  @Override
  public void precede(PipelinedConnection connection) {
    sentOver.set(connection);
    route.precede(connection);
  }

  @Override
  public @Nullable Route afterOpening(Throwable failure) {
    return recording(route.afterOpening(failure));
  }

  @Override
  public @Nullable Route after(PipelinedConnection connection, Throwable failure) {
    return recording(route.after(connection, failure));
  }

  private @Nullable Route recording(@Nullable Route other) {
    return other == null ? null : new RecordingRoute(other, sentOver);
  }
}
