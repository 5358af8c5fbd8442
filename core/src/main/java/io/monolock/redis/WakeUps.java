// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockKeys;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink.OverflowStrategy;

/** Who wants to hear when keys may have become free. Nothing is left of those who have gone. */
final class WakeUps {

  private final Map<LockKeys, Set<Runnable>> bySet = new ConcurrentHashMap<>();
  private final Map<String, Set<Runnable>> byKey = new ConcurrentHashMap<>();

  /**
   * Emits the keys when they may be free; to whoever is slow, once for all times in between.
   *
   * @param listening whether attempts are tracked already, so that nobody is woken when they are
   */
  Flux<LockKeys> of(LockKeys keys, BooleanSupplier listening) {
    return Flux.create(
        sink -> {
          Runnable waiter = () -> sink.next(keys);
          add(bySet, keys, waiter);
          keys.asList().forEach(key -> add(byKey, key, waiter));
          if (listening.getAsBoolean()) {
            waiter.run();
          }
          sink.onDispose(
              () -> {
                remove(bySet, keys, waiter);
                keys.asList().forEach(key -> remove(byKey, key, waiter));
              });
        },
        OverflowStrategy.LATEST);
  }

  private static <K> void add(Map<K, Set<Runnable>> waiters, K key, Runnable waiter) {
    waiters.compute(
        key,
        (any, known) -> {
          Set<Runnable> all = known == null ? ConcurrentHashMap.newKeySet() : known;
          all.add(waiter);
          return all;
        });
  }

  private static <K> void remove(Map<K, Set<Runnable>> waiters, K key, Runnable waiter) {
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

  /** Whether somebody waits for exactly these keys. */
  boolean areAwaited(LockKeys keys) {
    return bySet.containsKey(keys);
  }

  /** Wakes those who wait for the key, by itself or with others. */
  void wake(String key) {
    byKey.getOrDefault(key, Set.of()).forEach(Runnable::run);
  }

  void wakeAll() {
    bySet.values().forEach(waiters -> waiters.forEach(Runnable::run));
  }
}
