// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.LockKeys;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/**
 * A locker of its own for one race. Whatever happens in it happens in the threads of the race, so
 * that nothing is under way any more when they have ended. Nobody who waits tries again by itself,
 * so that a wake-up or a hand-over that is lost is not made up for.
 */
final class StressLocker {

  static final Duration TTL = Duration.ofSeconds(60);
  static final LockKeys KEYS = LockKeys.of("a");

  private static final Duration MOMENT = Duration.ofMillis(50);
  private static final LockOptions WAITING =
      LockOptions.of(TTL)
          .retry(Retry.from(failures -> Flux.never()))
          .waitAtMost(Duration.ofSeconds(50));

  final HandTimer timer = new HandTimer();
  final OneLockStore store = new OneLockStore();
  private final StoreLocker locker =
      (StoreLocker)
          ReactiveLocker.builder(store).timer(timer).publishOn(Schedulers.immediate()).build();
  final LockerContext runtime = locker.runtime;

  Ear<Lock> waiter() {
    return waiter(WAITING);
  }

  Ear<Lock> waiterFor(Duration limit) {
    return waiter(WAITING.waitAtMost(limit));
  }

  private Ear<Lock> waiter(LockOptions options) {
    return heard(locker.acquire("a", options));
  }

  Ear<Void> close() {
    return heard(locker.close());
  }

  static void release(Ear<Lock> holder) {
    heard(holder.value().release());
  }

  private static <T> Ear<T> heard(Mono<T> mono) {
    Ear<T> ear = new Ear<>();
    mono.subscribe(ear);
    return ear;
  }

  /** Time for what is to follow soon. */
  void settle() {
    timer.pass(MOMENT);
  }

  /** Whether this one, and nobody else, has the lock. */
  boolean isServed(Ear<Lock> waiter) {
    return waiter.heardOneValue() && waiter.value().isValid() && store.isHeldBy(waiter.value());
  }

  /** Lets go of the lock; true if whoever came meanwhile gets it then. */
  boolean isFollowed(Ear<Lock> holder) {
    Ear<Lock> next = waiter();
    release(holder);
    settle();
    return isServed(next) && endsWith(next);
  }

  /** Lets go of the lock; true if then nothing at all is left. */
  boolean endsWith(Ear<Lock> holder) {
    release(holder);
    return isLeftEmpty();
  }

  /** Nobody holds the lock or waits for it. */
  boolean isLeftEmpty() {
    settle();
    return store.isFree() && runtime.lines.size() == 0 && close().heardTheEnd();
  }
}
