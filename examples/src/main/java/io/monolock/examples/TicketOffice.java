// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import io.lettuce.core.api.reactive.RedisReactiveCommands;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import java.time.Duration;
import reactor.core.publisher.Mono;

/**
 * Sells the seats of one show. How many are left is a plain number in Redis, which all instances of
 * the service share.
 *
 * <p>A sale reads the number, takes its time, and writes the number less one. That is right only as
 * long as no other sale runs at the same time.
 */
final class TicketOffice {

  private static final String SHOW = "show:42";
  private static final String SEATS_LEFT = SHOW + ":seats-left";

  private final RedisReactiveCommands<String, String> redis;
  private final ReactiveLocker locker;
  private final LockOptions options;
  private final Duration hold;

  TicketOffice(RedisReactiveCommands<String, String> redis, ReactiveLocker locker, SalePlan plan) {
    this.redis = redis;
    this.locker = locker;
    this.options = plan.lockOptions();
    this.hold = plan.hold();
  }

  /** Sells a seat, whatever other sales do meanwhile. False when no seat is left. */
  Mono<Boolean> sellWithoutLock(Ledger ledger) {
    return sellOneSeat().doOnNext(ledger::sold).hasElement();
  }

  /** Sells a seat while no other sale can run, in any instance. False when no seat is left. */
  Mono<Boolean> sellUnderLock(Ledger ledger) {
    return locker.withLock(
        SHOW,
        options,
        lock ->
            sellOneSeat()
                .doOnNext(seat -> ledger.sold(seat, lock.fencingToken().orElseThrow()))
                .hasElement());
  }

  /** Sells the seat with the highest number left; empty when there is none. */
  private Mono<Integer> sellOneSeat() {
    return redis
        .get(SEATS_LEFT)
        .map(Integer::valueOf)
        .filter(left -> left > 0)
        .delayElement(hold)
        .flatMap(left -> redis.set(SEATS_LEFT, String.valueOf(left - 1)).thenReturn(left));
  }

  /** Puts seats on sale, numbered from 1. */
  Mono<Void> open(int seats) {
    return redis.set(SEATS_LEFT, String.valueOf(seats)).then();
  }

  /** Takes the number of seats out of Redis. */
  Mono<Void> close() {
    return redis.del(SEATS_LEFT).then();
  }

  /** How many locks there still are in Redis: 0 when all were released. */
  Mono<Long> locksLeft() {
    return redis.exists(SHOW);
  }
}
