// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockObserver;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;

/** What all subscriptions and handles of one locker share: store, time, threads, observer. */
final class LockerContext {

  private static final Logger LOG = LoggerFactory.getLogger(LockerContext.class);

  final LockStore store;
  final Scheduler timer;
  final SignalExecutor executor;
  final ObserverSignals observer;
  final Duration commandTimeout;
  final Duration turn;
  final TimerWheel wheel;
  final LeaseRegistry leases = new LeaseRegistry(this);
  final WaitLines lines = new WaitLines(this);

  private final AtomicLong ids = new AtomicLong();

  /** Null unless all that is drawn at random is to be repeatable. */
  private volatile @Nullable RandomGenerator seeded;

  /**
   * For one locker.
   *
   * @param publishOn null for the default
   * @param observer null for none
   */
  LockerContext(
      LockStore store,
      Scheduler timer,
      @Nullable Scheduler publishOn,
      @Nullable LockObserver observer,
      Duration commandTimeout,
      Duration turn) {
    this.store = store;
    this.timer = timer;
    this.executor = new SignalExecutor(timer, publishOn);
    this.commandTimeout = commandTimeout;
    this.turn = turn;
    this.wheel = new TimerWheel(timer);
    this.observer = new ObserverSignals(observer, executor, wheel::now);
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

  /** The time for one command that is of use for this long. */
  Duration shorter(Duration ttl) {
    return ttl.compareTo(commandTimeout) < 0 ? ttl : commandTimeout;
  }

  /** As {@link #ask}, but an error once the locker is closed. */
  <T> Mono<T> call(
      LockKeys keys, String operation, StoreProblem.Reason unanswered, Supplier<Mono<T>> call) {
    return ask(
        keys,
        operation,
        unanswered,
        () -> leases.isClosed() ? Mono.error(closed(keys)) : call.get());
  }

  /** A call that ends by our own timeout and is signalled on the users' threads. */
  <T> Mono<T> ask(
      LockKeys keys, String operation, StoreProblem.Reason unanswered, Supplier<Mono<T>> call) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> subscriber) {
        subscriber.onSubscribe(
            new ReadSubscription<>(
                LockerContext.this, keys, operation, unanswered, call, subscriber));
      }
    };
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
    try {
      store.overdue(commandTimeout);
    } catch (Throwable e) {
      LOG.error("the store failed when it was told of an overdue call", e);
    }
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
