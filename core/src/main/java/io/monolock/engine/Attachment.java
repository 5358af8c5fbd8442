// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/** Goes on with a lock that another caller or process has acquired, by its token. */
final class Attachment {

  private static final String OPERATION = "attach to the lock on";

  private final LockerContext locker;
  private final Claim claim;
  private final long askedAt;

  Attachment(LockerContext locker, LockKeys keys, LockOptions options, Context context) {
    this.locker = locker;
    this.claim = new Claim(locker, keys, options, now -> {}, context);
    this.askedAt = locker.now();
  }

  /** The lock, or empty unless every key still carries the token. */
  Mono<Lock> lock() {
    return call(() -> locker.store.extend(claim.keys, claim.token, claim.options.ttl()))
        .filter(ours -> ours)
        .flatMap(ours -> fencingToken())
        .flatMap(this::open);
  }

  /** Acquiring keys that the token holds already returns the number of the first grant. */
  private Mono<OptionalLong> fencingToken() {
    if (!claim.options.fenced()) {
      return Mono.just(OptionalLong.empty());
    }
    return call(() ->
            locker.store.acquire(
                claim.keys, claim.token, claim.options.metadata(), claim.options.ttl(), true))
        .flatMap(
            grant -> {
              if (!(grant instanceof Grant.Granted granted)) {
                return Mono.empty();
              }
              return granted.fresh() ? freeAgain() : Mono.just(granted.fencingToken());
            });
  }

  /** The lock ended between the two calls, and an attach must not acquire it. */
  private Mono<OptionalLong> freeAgain() {
    return call(() -> locker.store.release(claim.keys, claim.token, Duration.ZERO))
        .then(Mono.empty());
  }

  private Mono<Lock> open(OptionalLong fencingToken) {
    HeldLock lock = new HeldLock(claim, fencingToken, askedAt);
    if (!lock.isValid()) {
      return Mono.error(
          claim.failure(OPERATION, locker.unanswered(StoreProblem.Reason.UNKNOWN_OUTCOME)));
    }
    if (!locker.claims.add(claim)) {
      return Mono.error(locker.closed(claim.keys));
    }
    lock.open();
    return Mono.just(lock);
  }

  private <T> Mono<T> call(Supplier<Mono<T>> call) {
    return locker.call(claim.keys, OPERATION, StoreProblem.Reason.UNKNOWN_OUTCOME, call);
  }
}
