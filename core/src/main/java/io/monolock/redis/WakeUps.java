// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockKeys;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink.OverflowStrategy;

/**
 * The waiters to notify when keys may have become free. A waiter that cancels leaves nothing
 * behind.
 *
 * <p>A push costs an attempt, and brings nothing if its key is written by others all the time, or
 * bears the name of a key in another database, or if the server forgets what it tracks. So each
 * waiter has some pushes to its credit, and gets them back by a grant; without one, only an attempt
 * that it makes by itself adds another one. So pushes that bring nothing at most double the
 * attempts.
 */
final class WakeUps {

  /** Even with so many waiters for a key in as many processes, all get its pushes. */
  static final int CREDIT = 64;

  private final String prefix;
  private final Map<LockKeys, Set<Waiter>> bySet = new ConcurrentHashMap<>();
  private final Map<String, Set<Waiter>> byKey = new ConcurrentHashMap<>();

  private static final class Waiter {

    private final Runnable wake;
    private int credit = CREDIT; // guarded by this
    private boolean woken; // guarded by this

    Waiter(Runnable wake) {
      this.wake = wake;
    }

    void pushed() {
      synchronized (this) {
        if (credit == 0) {
          return;
        }
        credit--;
        woken = true;
      }
      wake.run();
    }

    synchronized void asks() {
      credit = woken ? credit : Math.min(CREDIT, credit + 1);
      woken = false;
    }

    synchronized void granted() {
      credit = CREDIT;
    }
  }

  /**
   * @param prefix what each key has in front of it in Redis
   */
  WakeUps(String prefix) {
    this.prefix = prefix;
  }

  /**
   * Emits the keys when they may be free; to a slow subscriber once for all that it missed.
   *
   * @param isTracked whether attempts are tracked already; else the waiter is woken when they are
   */
  Flux<LockKeys> of(LockKeys keys, BooleanSupplier isTracked) {
    return Flux.create(
        sink -> {
          Waiter waiter = new Waiter(() -> sink.next(keys));
          add(bySet, keys, waiter);
          keys.asList().forEach(key -> add(byKey, key, waiter));
          if (isTracked.getAsBoolean()) {
            waiter.wake.run();
          }
          sink.onDispose(
              () -> {
                remove(bySet, keys, waiter);
                keys.asList().forEach(key -> remove(byKey, key, waiter));
              });
        },
        OverflowStrategy.LATEST);
  }

  private static <K> void add(Map<K, Set<Waiter>> waiters, K key, Waiter waiter) {
    waiters.compute(
        key,
        (any, known) -> {
          Set<Waiter> all = known == null ? ConcurrentHashMap.newKeySet() : known;
          all.add(waiter);
          return all;
        });
  }

  private static <K> void remove(Map<K, Set<Waiter>> waiters, K key, Waiter waiter) {
    waiters.computeIfPresent(
        key,
        (any, known) -> {
          known.remove(waiter);
          return known.isEmpty() ? null : known;
        });
  }

  boolean isEmpty() {
    return bySet.isEmpty();
  }

  /** Whether an attempt for exactly these keys is that of a waiter; counts it if so. */
  boolean asks(LockKeys keys) {
    Set<Waiter> waiters = bySet.get(keys);
    if (waiters == null) {
      return false;
    }
    waiters.forEach(Waiter::asks);
    return true;
  }

  /** A waiter's attempt for exactly these keys was granted. */
  void granted(LockKeys keys) {
    bySet.getOrDefault(keys, Set.of()).forEach(Waiter::granted);
  }

  /**
   * The server has pushed that a key has changed.
   *
   * @param name the key as it is in Redis
   */
  void pushed(String name) {
    if (name.startsWith(prefix)) {
      byKey.getOrDefault(name.substring(prefix.length()), Set.of()).forEach(Waiter::pushed);
    }
  }

  /** The server has pushed that all keys have changed. */
  void pushedAll() {
    bySet.values().forEach(waiters -> waiters.forEach(Waiter::pushed));
  }

  void wakeAll() {
    bySet.values().forEach(waiters -> waiters.forEach(waiter -> waiter.wake.run()));
  }
}
