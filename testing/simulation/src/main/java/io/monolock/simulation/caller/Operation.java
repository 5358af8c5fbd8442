// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.caller;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.simulation.check.Call;
import io.monolock.simulation.check.Handle;
import io.monolock.store.LockKeys;
import java.util.concurrent.atomic.AtomicReference;
import reactor.core.publisher.Flux;

/** What a caller does with a locker. */
public enum Operation {
  /** Waits for a lock, uses it, gives it back. */
  ACQUIRE(8) {
    @Override
    void run(Turn turn) {
      turn.take(Call.Kind.ACQUIRE, turn.keys(), turn.wish());
    }
  },

  /** Tries once. */
  TRY_ACQUIRE(4) {
    @Override
    void run(Turn turn) {
      turn.take(Call.Kind.TRY_ACQUIRE, turn.keys(), turn.wish());
    }
  },

  /** Runs a body under a lock. */
  WITH_LOCK(6) {
    @Override
    void run(Turn turn) {
      LockKeys keys = turn.keys();
      Wish wish = turn.wish();
      Body body = turn.random().pick(turn.swarm().bodies());
      turn.subscribe(
          Flux.defer(
              () -> {
                Call call = turn.call(Call.Kind.SCOPE, keys, wish, null);
                return turn.watched(
                    turn.locker()
                        .withLock(
                            keys.asSet(), wish.options(), lock -> body.single(turn, call, lock)),
                    () -> call,
                    handle -> {});
              }),
          value -> {});
    }
  },

  /** Runs a body of many elements under a lock, for a subscriber that demands as it likes. */
  WITH_LOCK_MANY(3) {
    @Override
    void run(Turn turn) {
      LockKeys keys = turn.keys();
      Wish wish = turn.wish();
      Body body = turn.random().pick(turn.swarm().bodies());
      turn.subscribeSlowly(
          Flux.defer(
              () -> {
                Call call = turn.call(Call.Kind.SCOPE, keys, wish, null);
                return turn.watched(
                    turn.locker()
                        .withLockMany(
                            keys.asSet(), wish.options(), lock -> body.run(turn, call, lock)),
                    () -> call,
                    handle -> {});
              }));
    }
  },

  /** Many wait for the same keys, and all leave at once. */
  CROWD(1) {
    @Override
    void run(Turn turn) {
      LockKeys keys = turn.keys();
      Wish wish = turn.wish();
      long stay = turn.random().duration(5_000_000, 400_000_000);
      int size = 6 + turn.random().below(15);
      for (int i = 0; i < size; i++) {
        turn.takeFor(stay, keys, wish);
      }
      turn.later(stay, turn::done);
    }
  },

  /** Goes on with a lock of somebody else's. */
  ATTACH(1) {
    @Override
    void run(Turn turn) {
      Handle other = turn.someHandle();
      if (other == null) {
        turn.done();
        return;
      }
      LockOptions options = turn.wish().options().token(other.lock().token());
      LockKeys keys = LockKeys.of(other.lock().keys());
      turn.useWhatComes(
          turn.watched(
              turn.locker().attach(keys.asSet(), other.lock().token(), options),
              () -> turn.call(Call.Kind.ATTACH, keys, new Wish(options, 0), null),
              handle -> {}),
          new AtomicReference<>());
    }
  },

  /** Looks at a key. */
  INSPECT(1) {
    @Override
    void run(Turn turn) {
      String key = turn.keys().asList().get(0);
      turn.watch(Call.Kind.INSPECT, LockKeys.of(key), turn.locker().inspect(key));
    }
  },

  /** Frees a key by force. */
  FORCE_RELEASE(1) {
    @Override
    void run(Turn turn) {
      String key = turn.keys().asList().get(0);
      turn.watch(Call.Kind.FORCE_RELEASE, LockKeys.of(key), turn.locker().forceRelease(key));
    }
  },

  /** Closes the locker; another process takes its place. */
  CLOSE(1) {
    @Override
    void run(Turn turn) {
      if (turn.random().oneIn(3)) {
        turn.watch(Call.Kind.CLOSE, turn.keys(), turn.locker().close());
        turn.replaceProcess();
      } else {
        turn.done();
      }
    }
  };

  private final int weight;

  Operation(int weight) {
    this.weight = weight;
  }

  /** How often it is done, compared with others. */
  public int weight() {
    return weight;
  }

  /** Begins it; the turn is told when it is done. */
  abstract void run(Turn turn);

  /** For those that give a handle. */
  static reactor.core.publisher.Mono<Lock> source(
      Call.Kind kind, Turn turn, LockKeys keys, LockOptions options) {
    return kind == Call.Kind.ACQUIRE
        ? turn.locker().acquire(keys.asSet(), options)
        : turn.locker().tryAcquire(keys.asSet(), options);
  }
}
