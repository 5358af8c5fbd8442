// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A store that forwards its calls to another one, for tests that change some of them. A transfer is
 * not forwarded: as by default it is a release and an acquisition, so it changes when these do.
 */
public abstract class DelegatingLockStore implements LockStore {

  /** The store that gets the calls. */
  protected final LockStore store;

  /**
   * A store in front of another one.
   *
   * @param store the store that gets the calls
   */
  protected DelegatingLockStore(LockStore store) {
    this.store = store;
  }

  @Override
  public void check(LockKeys keys, boolean fenced) {
    store.check(keys, fenced);
  }

  @Override
  public void check(LockKeys keys, Duration longest, boolean fenced) {
    check(keys, fenced); // which a test may override
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
    return store.close();
  }
}
