// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.LockOptions;
import io.monolock.simulation.check.Call;
import io.monolock.simulation.check.Call.Kind;
import io.monolock.simulation.check.Handle;
import io.monolock.store.LockKeys;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** What a caller does with a locker. */
enum Operation {
  /** Waits for a lock, uses it, gives it back. */
  ACQUIRE(8, turn -> turn.take(Kind.ACQUIRE, turn.keys(), turn.wish())),

  /** Tries once. */
  TRY_ACQUIRE(4, turn -> turn.take(Kind.TRY_ACQUIRE, turn.keys(), turn.wish())),

  /** Runs a body under a lock. */
  WITH_LOCK(6, turn -> turn.subscribe(turn.scope(turn.anyBody()), value -> {})),

  /** Runs a body of many elements under a lock, for a subscriber that demands as it likes. */
  WITH_LOCK_MANY(3, turn -> turn.subscribeSlowly(turn.scopeOfMany(turn.anyBody()))),

  /** Many wait for the same keys, and all leave at once. */
  CROWD(1, Operation::crowd),

  /** Goes on with a lock of another caller's. */
  ATTACH(1, Operation::attach),

  /** Looks at a key. */
  INSPECT(1, Operation::inspect),

  /** Frees a key by force. */
  FORCE_RELEASE(
      1,
      turn -> {
        String key = turn.keys().asList().get(0);
        turn.watch(Kind.FORCE_RELEASE, LockKeys.of(key), turn.locker().forceRelease(key));
      }),

  /** Closes the locker, at times while it is asked something; another process takes its place. */
  CLOSE(
      1,
      turn -> {
        if (!turn.random().oneIn(3)) {
          turn.done();
          return;
        }
        if (turn.random().oneIn(2)) {
          inspect(turn);
        }
        turn.watch(Kind.CLOSE, turn.keys(), turn.locker().close());
        turn.replaceProcess();
      });

  private final int weight;

  @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
  private final Consumer<Turn> action;

  Operation(int weight, Consumer<Turn> action) {
    this.weight = weight;
    this.action = action;
  }

  /** How often it is done, compared with others. */
  int weight() {
    return weight;
  }

  /** Begins it; the turn is told when it is done. */
  void run(Turn turn) {
    action.accept(turn);
  }

  private static void crowd(Turn turn) {
    LockKeys keys = turn.keys();
    Wish wish = turn.wish();
    long stay = turn.random().duration(5_000_000, 400_000_000);
    int size = 6 + turn.random().below(15);
    for (int i = 0; i < size; i++) {
      turn.takeFor(stay, keys, wish);
    }
    turn.later(stay, turn::done);
  }

  private static void attach(Turn turn) {
    Handle other = turn.someHandle();
    if (other == null) {
      turn.done();
      return;
    }
    LockOptions options = turn.wish().options().token(other.lock().token());
    LockKeys keys = LockKeys.of(other.lock().keys());
    AtomicReference<Handle> given = new AtomicReference<>();
    turn.useWhatComes(
        turn.watched(
            turn.locker().attach(keys.asSet(), other.lock().token(), options),
            () -> turn.call(Call.Kind.ATTACH, keys, new Wish(options, 0), null),
            given::set),
        given);
  }

  private static void inspect(Turn turn) {
    String key = turn.keys().asList().get(0);
    turn.watch(Kind.INSPECT, LockKeys.of(key), turn.locker().inspect(key));
  }
}
