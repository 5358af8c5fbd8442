// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** The locker over a {@link io.monolock.store.LockStore}: composes the other classes. */
final class StoreLocker implements ReactiveLocker {

  private static final Logger LOG = LoggerFactory.getLogger(StoreLocker.class);

  /** How long the last releases may still take after the time for closing. */
  private static final Duration LAST_RELEASES = Duration.ofSeconds(1);

  final LockerContext locker;
  private final LockOptions defaults;
  private final Duration closeTimeout;
  private final boolean ownsTimer;
  private final Sinks.Empty<Void> closed = Sinks.empty();

  StoreLocker(
      LockerContext locker, LockOptions defaults, Duration closeTimeout, boolean ownsTimer) {
    this.locker = locker;
    this.defaults = defaults;
    this.closeTimeout = closeTimeout;
    this.ownsTimer = ownsTimer;
  }

  @Override
  public LockOptions defaults() {
    return defaults;
  }

  @Override
  public Mono<Lock> tryAcquire(Collection<String> keys, LockOptions options) {
    return lock(checked(keys, options), options, AcquireSubscription.WhenBusy.COMPLETE);
  }

  @Override
  public Mono<Lock> acquire(Collection<String> keys, LockOptions options) {
    return lock(
        checked(keys, options),
        options,
        options.waitAtMost().isZero()
            ? AcquireSubscription.WhenBusy.FAIL
            : AcquireSubscription.WhenBusy.WAIT);
  }

  private Mono<Lock> lock(
      LockKeys keys, LockOptions options, AcquireSubscription.WhenBusy whenBusy) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Lock> subscriber) {
        subscriber.onSubscribe(
            new AcquireSubscription(locker, keys, options, whenBusy, subscriber));
      }
    };
  }

  @Override
  public <T> Mono<T> withLock(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Mono<T>> body) {
    return inScope(scope(acquire(keys, options), body));
  }

  @Override
  public <T> Mono<T> tryWithLock(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Mono<T>> body) {
    return inScope(scope(tryAcquire(keys, options), body));
  }

  private static <T> Mono<T> inScope(Mono<Scope<T>> acquired) {
    return Mono.usingWhen(
        acquired,
        scope -> Mono.fromDirect(scope.body()),
        Scope::end,
        (scope, error) -> scope.end(),
        Scope::end);
  }

  @Override
  public <T> Flux<T> withLockMany(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Publisher<T>> body) {
    return Flux.usingWhen(
        StoreLocker.<T>scope(acquire(keys, options), body),
        Scope::body,
        Scope::end,
        (scope, error) -> scope.end(),
        Scope::end);
  }

  /** A lock to run a body under. The map loses no lock: it passes it on even after cancel. */
  private static <T> Mono<Scope<T>> scope(
      Mono<Lock> acquisition, Function<? super Lock, ? extends Publisher<T>> body) {
    Rules.given("body", body);
    return acquisition.map(lock -> new Scope<>((HeldLock) lock, body));
  }

  @Override
  public Mono<Lock> attach(Collection<String> keys, String token, LockOptions options) {
    LockKeys lockKeys = checked(keys, options);
    LockOptions attached = options.token(token);
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Lock> subscriber) {
        subscriber.onSubscribe(
            new AttachSubscription(locker, lockKeys, token, attached, subscriber));
      }
    };
  }

  @Override
  public Mono<Holder> inspect(String key) {
    LockKeys keys = LockKeys.of(key);
    return locker.call(
        keys, "inspect", StoreProblem.Reason.TIMEOUT, () -> locker.store.inspect(key));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    LockKeys keys = LockKeys.of(key);
    return locker.call(
        keys,
        "force the release of",
        StoreProblem.Reason.UNKNOWN_OUTCOME,
        () -> {
          locker.leases.forced(key);
          return locker.store.forceRelease(key).doOnNext(any -> locker.lines.freed(keys, null));
        });
  }

  @Override
  public List<LockActivity> activity() {
    return locker.leases.activity();
  }

  private LockKeys checked(Collection<String> keys, LockOptions options) {
    Rules.given("options", options);
    LockKeys lockKeys = LockKeys.of(keys);
    Duration ttl = options.ttl();
    Duration least = options.holdAtLeast();
    locker.store.check(lockKeys, ttl.compareTo(least) < 0 ? least : ttl, options.fenced());
    return lockKeys;
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          if (locker.leases.close()) {
            beginClosing();
          }
          return closed.asMono().publishOn(locker.executor);
        });
  }

  private void beginClosing() {
    locker.leases.end(false);
    Mono<Void> settled = locker.leases.allSettled();
    settled
        .timeout(locker.wheel.delay(closeTimeout), Mono.defer(() -> endNow(settled)))
        .then(
            Mono.defer(locker.store::close)
                .timeout(
                    locker.wheel.delay(locker.commandTimeout), Mono.error(TimeoutException::new)))
        .subscribe(
            nothing -> {},
            e -> {
              LOG.warn("the store of a closing locker could not be closed", e);
              endClosing();
            },
            this::endClosing);
  }

  private Mono<Void> endNow(Mono<Void> settled) {
    locker.leases.end(true);
    return settled.timeout(
        locker.wheel.delay(LAST_RELEASES), Mono.fromRunnable(locker.leases::abandonReleases));
  }

  private void endClosing() {
    locker.wheel.stop();
    closed.tryEmitEmpty();
    if (ownsTimer) {
      // once it has run the limits that were due soon; it waits for a lock
      Schedulers.boundedElastic().schedule(locker.timer::dispose, 200, TimeUnit.MILLISECONDS);
    }
  }
}
