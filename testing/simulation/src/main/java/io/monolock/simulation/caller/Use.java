// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.caller;

import io.monolock.simulation.check.Call;
import io.monolock.simulation.check.Handle;
import io.monolock.store.LockKeys;
import java.time.Duration;

/** What a caller does with a lock before it gives it back. */
public enum Use {
  /** Holds it for a while. */
  HOLD {
    @Override
    void apply(Turn turn, Handle handle, Runnable then) {
      turn.later(turn.holdTime(), then);
    }
  },

  /** Prolongs it. */
  EXTEND {
    @Override
    void apply(Turn turn, Handle handle, Runnable then) {
      Duration ttl = turn.random().pick(turn.swarm().ttls());
      turn.watch(Call.Kind.EXTEND, handle, handle.lock().extend(ttl), then);
    }
  },

  /** Prolongs some of its keys, and does not wait for that. */
  EXTEND_SOME {
    @Override
    void apply(Turn turn, Handle handle, Runnable then) {
      LockKeys some = turn.random().some(handle.lock().keys());
      Duration ttl = turn.random().pick(turn.swarm().ttls());
      turn.watch(Call.Kind.EXTEND, handle, handle.lock().extend(some.asSet(), ttl), () -> {});
      then.run();
    }
  },

  /** Keeps it alive for a while. */
  KEEP_ALIVE {
    @Override
    void apply(Turn turn, Handle handle, Runnable then) {
      turn.watchFor(turn.holdTime(), Call.Kind.KEEP_ALIVE, handle, handle.lock().keepAlive(), then);
    }
  },

  /** Runs something while it is held. */
  WHILE_HELD {
    @Override
    void apply(Turn turn, Handle handle, Runnable then) {
      turn.watch(
          Call.Kind.WHILE_HELD,
          handle,
          handle.lock().whileHeld(turn.delay().thenReturn("held")),
          then);
    }
  },

  /** Asks how long it lives. */
  TTL {
    @Override
    void apply(Turn turn, Handle handle, Runnable then) {
      turn.watch(Call.Kind.TTL, handle, handle.lock().ttl(), then);
    }
  };

  abstract void apply(Turn turn, Handle handle, Runnable then);
}
