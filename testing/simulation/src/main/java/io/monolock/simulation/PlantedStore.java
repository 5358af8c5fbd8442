// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.Incarnation;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.OptionalLong;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A store with a fault in it. */
record PlantedStore(LockStore store, Plant plant, Chance chance) implements LockStore {

  @Override
  public Mono<Grant> acquire(
      LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
    Mono<Grant> grant = store.acquire(keys, token, metadata, ttl, fenced);
    return switch (plant) {
      case BUSY_IS_GRANTED -> grant.map(one -> one instanceof Grant.Busy && !fenced ? FRESH : one);
      case HOLDER_IS_ROBBED ->
          chance.oneIn(20) ? store.forceRelease(keys.asList().get(0)).then(grant) : grant;
      case MEMBERS_ALWAYS_VOTE -> grant.map(PlantedStore::old);
      case NUMBERS_FALL -> grant.map(one -> chance.oneIn(5) ? lower(one) : one);
      case ATTEMPTS_ARE_MULTIPLIED -> Flux.range(0, 5).concatMap(i -> grant).last();
      default -> grant;
    };
  }

  private static final Grant FRESH = new Grant.Granted(true, OptionalLong.empty());

  private static Grant old(Grant grant) {
    return grant instanceof Grant.Granted granted
        ? new Grant.Granted(
            granted.fresh(),
            granted.fencingToken(),
            granted
                .incarnation()
                .map(now -> new Incarnation(now.server(), Duration.ofDays(10_000))))
        : grant;
  }

  private static Grant lower(Grant grant) {
    return grant instanceof Grant.Granted granted && granted.fencingToken().isPresent()
        ? new Grant.Granted(
            granted.fresh(),
            OptionalLong.of(granted.fencingToken().getAsLong() - 10_000_000),
            granted.incarnation())
        : grant;
  }

  @Override
  public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
    Mono<Boolean> extended = store.extend(keys, token, ttl);
    return plant == Plant.EXTENDED_IS_FREED
        ? extended.flatMap(ours -> store.release(keys, token, Duration.ZERO).thenReturn(ours))
        : extended;
  }

  @Override
  public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
    Mono<Boolean> released = store.release(keys, token, keepFor);
    return switch (plant) {
      case EXTENDED_AFTER_RELEASE ->
          released.flatMap(ours -> store.extend(keys, token, Plant.SHORT).thenReturn(ours));
      case KEPT_IS_FREED -> store.release(keys, token, Duration.ZERO);
      case RELEASED_IS_DENIED -> released.thenReturn(false);
      case RELEASES_ARE_SWALLOWED -> chance.oneIn(5) ? Mono.just(true) : released;
      default -> released;
    };
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
  public void overdue(Duration timeout) {
    if (plant == Plant.OVERDUE_THROWS) {
      throw new IllegalStateException("planted");
    }
    store.overdue(timeout);
  }

  @Override
  public Mono<Void> close() {
    return store.close();
  }
}
