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

/** Goes on with a lock that somebody else has acquired, by its token. */
final class Attachment {

  private static final String OPERATION = "attach to the lock on";

  private final LockerContext runtime;
  private final Claim claim;
  private final long askedAt;

  Attachment(LockerContext runtime, LockKeys keys, LockOptions options, Context context) {
    this.runtime = runtime;
    this.claim = new Claim(runtime, keys, options, now -> {}, context);
    this.askedAt = runtime.now();
  }

  /** The lock, or empty unless every key still carries the token. */
  Mono<Lock> lock() {
    return call(() -> runtime.store.extend(claim.keys, claim.token, claim.options.ttl()))
        .filter(ours -> ours)
        .flatMap(ours -> fencingToken())
        .flatMap(this::open);
  }

  /** Taking keys that the token holds already gives the number of the first time again. */
  private Mono<OptionalLong> fencingToken() {
    if (!claim.options.fenced()) {
      return Mono.just(OptionalLong.empty());
    }
    return call(() ->
            runtime.store.acquire(
                claim.keys, claim.token, claim.options.metadata(), claim.options.ttl(), true))
        .flatMap(
            grant -> {
              if (!(grant instanceof Grant.Granted granted)) {
                return Mono.empty();
              }
              return granted.fresh() ? freeAgain() : Mono.just(granted.fencingToken());
            });
  }

  /** The lock ended between the two calls, and was not to be taken anew. */
  private Mono<OptionalLong> freeAgain() {
    return call(() -> runtime.store.release(claim.keys, claim.token, Duration.ZERO))
        .then(Mono.empty());
  }

  private Mono<Lock> open(OptionalLong fencingToken) {
    HeldLock lock = new HeldLock(claim, fencingToken, askedAt);
    if (!lock.isValid()) {
      return Mono.error(
          claim.failure(OPERATION, runtime.unanswered(StoreProblem.Reason.UNKNOWN_OUTCOME)));
    }
    if (!runtime.claims.add(claim)) {
      return Mono.error(runtime.closed(claim.keys));
    }
    lock.open();
    return Mono.just(lock);
  }

  private <T> Mono<T> call(Supplier<Mono<T>> call) {
    return runtime.call(claim.keys, OPERATION, StoreProblem.Reason.UNKNOWN_OUTCOME, call);
  }
}
