// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockException;
import io.monolock.LockObserver;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/** What all subscriptions and handles of one locker share: store, time, threads, observer. */
final class LockerContext {

  private static final int LANES = Runtime.getRuntime().availableProcessors();

  final LockStore store;
  final Scheduler timer;

  /** The users' scheduler: runs tasks even when it is disposed, measures delays by our timer. */
  final Scheduler publishOn;

  /** Null with a scheduler of the user's, whose threads may be blocked. */
  private final @Nullable Lanes lanes;

  final LockObserver observer;
  final Duration commandTimeout;
  final TimerWheel wheel;
  final OpenClaims claims = new OpenClaims();
  final WaitLines lines = new WaitLines();
  final HandOvers.Limits handOvers;

  private final AtomicLong ids = new AtomicLong();

  /** Null unless all that is drawn at random is to be repeatable. */
  private volatile @Nullable RandomGenerator seeded;

  LockerContext(
      LockStore store,
      Scheduler timer,
      @Nullable Scheduler publishOn,
      LockObserver observer,
      Duration commandTimeout,
      HandOvers.Limits handOvers) {
    this.store = store;
    this.timer = timer;
    this.lanes = publishOn == null ? new Lanes(Schedulers.parallel(), LANES) : null;
    this.publishOn =
        new PublishingTimer(timer, publishOn != null ? publishOn : Schedulers.parallel());
    this.observer =
        observer instanceof SerialObserver.NoObserver
            ? observer
            : new SerialObserver(observer, this);
    this.commandTimeout = commandTimeout;
    this.handOvers = handOvers;
    this.wheel = new TimerWheel(timer);
  }

  /** From now on everything that this locker draws at random is drawn from here. */
  void drawFrom(RandomGenerator random) {
    seeded = random;
  }

  RandomGenerator random() {
    RandomGenerator random = seeded;
    return random != null ? random : ThreadLocalRandom.current();
  }

  String nextToken() {
    RandomGenerator random = seeded;
    return random != null ? Tokens.next(random) : Tokens.next();
  }

  long nextId() {
    return ids.incrementAndGet();
  }

  long now() {
    return wheel.now();
  }

  /** Runs a signal to users on their scheduler. */
  void publish(Runnable signal) {
    publishOn.schedule(signal);
  }

  /** Runs a signal after earlier ones for these keys; on a user's scheduler in any order. */
  void publish(LockKeys keys, Runnable signal) {
    if (lanes != null) {
      lanes.run(keys.hashCode(), signal);
    } else {
      publish(signal);
    }
  }

  /** As {@link #ask}, but an error once the locker is closed. */
  <T> Mono<T> call(
      LockKeys keys, String operation, StoreProblem.Reason unanswered, Supplier<Mono<T>> call) {
    return Mono.defer(
        () ->
            claims.isClosed()
                ? Mono.<T>error(closed(keys)).publishOn(publishOn)
                : ask(keys, operation, unanswered, call));
  }

  /** A call that ends by our own timeout and is signalled on the users' scheduler. */
  <T> Mono<T> ask(
      LockKeys keys, String operation, StoreProblem.Reason unanswered, Supplier<Mono<T>> call) {
    return Mono.deferContextual(context -> askOnce(call, Context.of(context)))
        .onErrorMap(
            e -> e instanceof LockException ? e : asStoreException(keys, operation, unanswered, e))
        .publishOn(publishOn);
  }

  /** The call is not cancelled with its subscriber: a late failure would be dropped. */
  private <T> Mono<T> askOnce(Supplier<Mono<T>> call, Context context) {
    Sinks.One<T> answer = Sinks.one();
    call.get().subscribe(answer::tryEmitValue, answer::tryEmitError, answer::tryEmitEmpty, context);
    Mono<T> overdue =
        Mono.error(
            () -> {
              overdue();
              return new TimeoutException();
            });
    return answer.asMono().timeout(wheel.delay(commandTimeout), overdue);
  }

  private LockStoreException asStoreException(
      LockKeys keys, String operation, StoreProblem.Reason unanswered, Throwable e) {
    return failed(
        keys,
        operation,
        e instanceof TimeoutException ? unanswered(unanswered) : StoreCall.failure(e));
  }

  /** The user's error for a call that failed. */
  LockStoreException failed(LockKeys keys, String operation, StoreFailure failure) {
    return new LockStoreException(
        keys.asSet(),
        failure.reason(),
        failure.isTransient(),
        "could not " + operation + " " + keys + ": " + failure.getMessage(),
        failure.getCause() == null ? failure : failure.getCause());
  }

  /** Reports to the store that a call has had no answer within the timeout. */
  void overdue() {
    store.overdue(commandTimeout);
  }

  StoreFailure unanswered(StoreProblem.Reason reason) {
    return new StoreFailure(
        reason,
        true,
        "no answer within the time for a command, at most "
            + commandTimeout.toMillis()
            + " ms; look at the load of the store and the way to it",
        null);
  }

  LockerClosedException closed(LockKeys keys) {
    return new LockerClosedException(keys.asSet());
  }
}
