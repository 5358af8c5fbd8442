// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Writes down what a locker asks of its store, and can be in trouble. */
final class TestStore implements LockStore {

  private final LockStore store;
  final List<String> calls = new CopyOnWriteArrayList<>();
  volatile StoreFailure trouble;

  TestStore(LockStore store) {
    this.store = store;
  }

  private <T> Mono<T> call(String name, LockKeys keys, Mono<T> call) {
    return Mono.defer(
        () -> {
          calls.add(name + " " + keys.asSet());
          return trouble == null ? call : Mono.error(trouble);
        });
  }

  List<String> calls(String name) {
    return calls.stream().filter(call -> call.startsWith(name)).toList();
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return call("acquire", keys, store.acquire(keys, token, metadata, ttl, fenced));
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return call("extend", keys, store.extend(keys, token, ttl));
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return call("release", keys, store.release(keys, token, keepFor));
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return call("remaining", keys, store.remaining(keys, token));
  }

  @Override
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return store.wakeUps(keys);
  }

  @Override
  public Mono<Holder> inspect(String key) {
    return store.inspect(key);
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    return store.forceRelease(key);
  }

  @Override
  public Mono<Void> close() {
    return store.close();
  }
}
