// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.check.Call.Kind;
import io.monolock.simulation.check.Handle;
import io.monolock.store.LockKeys;
import java.time.Duration;

/** What a caller does with a lock before it gives it back, or after. */
enum Use {
  HOLD((turn, handle, then) -> turn.later(turn.holdTime(), then)),

  EXTEND(
      (turn, handle, then) -> {
        Duration ttl = turn.random().pick(turn.swarm().ttls());
        turn.watch(Kind.EXTEND, handle, handle.lock().extend(ttl), then);
      }),

  /** Extends some of its keys, and does not wait for that. */
  EXTEND_SOME(
      (turn, handle, then) -> {
        LockKeys some = turn.random().some(handle.lock().keys());
        Duration ttl = turn.random().pick(turn.swarm().ttls());
        turn.watch(Kind.EXTEND, handle, handle.lock().extend(some.asSet(), ttl), () -> {});
        then.run();
      }),

  KEEP_ALIVE(
      (turn, handle, then) ->
          turn.watchFor(turn.holdTime(), Kind.KEEP_ALIVE, handle, handle.lock().keepAlive(), then)),

  WHILE_HELD(
      (turn, handle, then) ->
          turn.watch(
              Kind.WHILE_HELD,
              handle,
              handle.lock().whileHeld(turn.delay().thenReturn("held")),
              then)),

  TTL((turn, handle, then) -> turn.watch(Kind.TTL, handle, handle.lock().ttl(), then));

  /** How it is done. */
  interface Action {
    void apply(Turn turn, Handle handle, Runnable then);
  }

  @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
  private final Action action;

  Use(Action action) {
    this.action = action;
  }

  void apply(Turn turn, Handle handle, Runnable then) {
    action.apply(turn, handle, then);
  }
}
