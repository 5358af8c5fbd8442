// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreHealth;
import io.monolock.store.Transfer;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A store that several lockers use: none of them closes it, as the others may still have locks in
 * it. {@link LockerLifecycle} does, after all lockers.
 */
record SharedStore(LockStore store) implements LockStore {

  @Override
  public void check(LockKeys keys, boolean fenced) {
    store.check(keys, fenced);
  }

  @Override
  public void check(LockKeys keys, Duration longest, boolean fenced) {
    store.check(keys, longest, fenced);
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
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    return store.release(keys, token, keepFor);
  }

  @Override
  public Mono<Duration> remaining(LockKeys keys, String token) {
    return store.remaining(keys, token);
  }

  @Override
  public Mono<Transfer> transfer(
      LockKeys keys, String from, String to, String metadata, Duration ttl, boolean fenced) {
    return store.transfer(keys, from, to, metadata, ttl, fenced);
  }

  @Override
  public Mono<Boolean> raiseFence(LockKeys keys, String token, long number) {
    return store.raiseFence(keys, token, number);
  }

  @Override
  public void becomeMember() {
    store.becomeMember();
  }

  @Override
  public Mono<Void> declareNew() {
    return store.declareNew();
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
  public Mono<StoreHealth> health() {
    return store.health();
  }

  @Override
  public void overdue(Duration timeout) {
    store.overdue(timeout);
  }

  @Override
  public Mono<Void> close() {
    return Mono.empty();
  }
}
