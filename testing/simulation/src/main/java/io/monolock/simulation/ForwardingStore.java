// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.Incarnation;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.Transfer;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Passes every call on to another store; a planted fault changes one of them. */
class ForwardingStore implements LockStore {

  private final LockStore store;

  ForwardingStore(LockStore store) {
    this.store = store;
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
  public Mono<Incarnation> incarnation() {
    return store.incarnation();
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
  public void overdue(Duration timeout) {
    store.overdue(timeout);
  }

  @Override
  public Mono<Void> close() {
    return store.close();
  }
}
