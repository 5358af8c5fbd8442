// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Wrong on purpose: a store that deletes the keys on release whoever holds them. */
final class ReleaseWithoutToken implements LockStore {

  private final LockStore store;

  ReleaseWithoutToken(LockStore store) {
    this.store = store;
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return Flux.fromIterable(keys.asList()).concatMap(store::forceRelease).then(Mono.just(true));
  }

  @Override
  public void check(LockKeys keys, boolean fenced) {
    store.check(keys, fenced);
  }

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    return store.acquire(keys, token, metadata, ttl, fenced);
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    return store.extend(keys, token, ttl);
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return store.remaining(keys, token);
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
  public Flux<LockKeys> wakeUps(LockKeys keys) {
    return store.wakeUps(keys);
  }

  @Override
  public void overdue(Duration patience) {
    store.overdue(patience);
  }

  @Override
  public Mono<Void> close() {
    return store.close();
  }
}
