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
 * A locker for one race. Everything in it runs on the threads of the race, so that nothing is under
 * way any more when they have ended. No waiter tries again by itself, so that nothing makes up for
 * a lost wake-up or hand-over.
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
  private final StoreLocker tested =
      (StoreLocker)
          ReactiveLocker.builder(store).timer(timer).publishOn(Schedulers.immediate()).build();
  final LockerContext context = tested.locker;

  RecordingSubscriber<Lock> waiter() {
    return waiter(WAITING);
  }

  /** Of another ttl, so that the keys go to it by a command. */
  RecordingSubscriber<Lock> otherWaiter() {
    return waiter(WAITING.ttl(TTL.multipliedBy(2)));
  }

  RecordingSubscriber<Lock> waiterFor(Duration limit) {
    return waiter(WAITING.waitAtMost(limit));
  }

  private RecordingSubscriber<Lock> waiter(LockOptions options) {
    return subscribed(tested.acquire("a", options));
  }

  /** As {@link #waiter}, with a subscriber that another thread may know already. */
  void waits(RecordingSubscriber<Lock> subscriber) {
    tested.acquire("a", WAITING).subscribe(subscriber);
  }

  RecordingSubscriber<Void> close() {
    return subscribed(tested.close());
  }

  static void release(RecordingSubscriber<Lock> holder) {
    subscribed(holder.value().release());
  }

  private static <T> RecordingSubscriber<T> subscribed(Mono<T> mono) {
    RecordingSubscriber<T> subscriber = new RecordingSubscriber<>();
    mono.subscribe(subscriber);
    return subscriber;
  }

  /** Passes time for what is to follow soon. */
  void settle() {
    timer.pass(MOMENT);
  }

  /** Whether this waiter has the lock, and got it once. */
  boolean isServed(RecordingSubscriber<Lock> waiter) {
    return waiter.gotOneValue() && waiter.value().isValid() && store.isHeldBy(waiter.value());
  }

  /** Adds a waiter and releases the lock; true if the waiter gets it, and nothing is left then. */
  boolean isFollowed(RecordingSubscriber<Lock> holder) {
    RecordingSubscriber<Lock> next = waiter();
    release(holder);
    settle();
    return isServed(next) && endsWith(next);
  }

  /** Releases the lock; true if nothing at all is left then. */
  boolean endsWith(RecordingSubscriber<Lock> holder) {
    release(holder);
    return isLeftEmpty();
  }

  /** Whether there is no holder, no waiter and no line, and the locker can be closed. */
  boolean isLeftEmpty() {
    settle();
    return store.isFree() && context.lines.size() == 0 && close().gotCompletion();
  }

  /** What became of two waiters of which the first one cancels as the lock comes to it. */
  String outcomeOfCancel(RecordingSubscriber<Lock> first, RecordingSubscriber<Lock> next) {
    settle();
    if (first.gotNothing()) {
      return outcomeOfLast(next, "next");
    }
    if (!next.gotNothing()) {
      return "both";
    }
    if (!isServed(first)) {
      return "not served";
    }
    release(first);
    settle();
    return outcomeOfLast(next, "first and then next");
  }

  private String outcomeOfLast(RecordingSubscriber<Lock> last, String served) {
    if (!isServed(last)) {
      return "not served";
    }
    return endsWith(last) ? served : "left behind";
  }
}
