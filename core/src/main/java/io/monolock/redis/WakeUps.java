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
 */
final class WakeUps {

  private final String prefix;
  private final Map<LockKeys, Set<Runnable>> bySet = new ConcurrentHashMap<>();
  private final Map<String, Set<Runnable>> byKey = new ConcurrentHashMap<>();

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
          Runnable waiter = () -> sink.next(keys);
          add(bySet, keys, waiter);
          keys.asList().forEach(key -> add(byKey, key, waiter));
          if (isTracked.getAsBoolean()) {
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

  /** Whether there is a waiter for exactly these keys. */
  boolean hasWaiter(LockKeys keys) {
    return bySet.containsKey(keys);
  }

  /**
   * Wakes the waiters for sets that contain the key.
   *
   * @param name the key as it is in Redis
   */
  void wake(String name) {
    if (name.startsWith(prefix)) {
      byKey.getOrDefault(name.substring(prefix.length()), Set.of()).forEach(Runnable::run);
    }
  }

  void wakeAll() {
    bySet.values().forEach(waiters -> waiters.forEach(Runnable::run));
  }
}
