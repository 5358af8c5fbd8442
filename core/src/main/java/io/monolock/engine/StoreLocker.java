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
import java.util.Objects;
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
import reactor.util.context.Context;

/** The locker over a {@link io.monolock.store.LockStore}: composes everything else. */
final class StoreLocker implements ReactiveLocker {

  private static final Logger LOG = LoggerFactory.getLogger(StoreLocker.class);

  /** How long after the time for closing the last releases may still take. */
  private static final Duration LAST_RELEASES = Duration.ofSeconds(1);

  final LockerContext runtime;
  private final LockOptions defaults;
  private final Duration closeTimeout;
  private final boolean ownsTimer;
  private final Sinks.Empty<Void> closed = Sinks.empty();

  StoreLocker(
      LockerContext runtime, LockOptions defaults, Duration closeTimeout, boolean ownsTimer) {
    this.runtime = runtime;
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
    return acquire(checked(keys, options), options);
  }

  private Mono<Lock> acquire(LockKeys keys, LockOptions options) {
    return lock(
        keys,
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
            new AcquireSubscription(runtime, keys, options, whenBusy, subscriber));
      }
    };
  }

  @Override
  public <T> Mono<T> withLock(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Mono<T>> body) {
    return Mono.usingWhen(
        this.<T>scope(keys, options, body),
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
        this.<T>scope(keys, options, body),
        Scope::body,
        Scope::end,
        (scope, error) -> scope.end(),
        Scope::end);
  }

  /** A lock to run a body under. The map is safe: it passes on what it gets, even after cancel. */
  private <T> Mono<Scope<T>> scope(
      Collection<String> keys,
      LockOptions options,
      Function<? super Lock, ? extends Publisher<T>> body) {
    Objects.requireNonNull(body, "body");
    return acquire(checked(keys, options), options).map(lock -> new Scope<>((HeldLock) lock, body));
  }

  @Override
  public Mono<Lock> attach(Collection<String> keys, String token, LockOptions options) {
    LockKeys lockKeys = checked(keys, options);
    LockOptions attached = options.token(token);
    return Mono.deferContextual(
        context -> new Attachment(runtime, lockKeys, attached, Context.of(context)).lock());
  }

  @Override
  public Mono<Holder> inspect(String key) {
    LockKeys keys = LockKeys.of(key);
    return runtime.call(
        keys, "inspect", StoreProblem.Reason.TIMEOUT, () -> runtime.store.inspect(key));
  }

  @Override
  public Mono<Boolean> forceRelease(String key) {
    LockKeys keys = LockKeys.of(key);
    return runtime.call(
        keys,
        "force the release of",
        StoreProblem.Reason.UNKNOWN_OUTCOME,
        () -> runtime.store.forceRelease(key));
  }

  @Override
  public List<LockActivity> activity() {
    return runtime.claims.activity();
  }

  private LockKeys checked(Collection<String> keys, LockOptions options) {
    Objects.requireNonNull(options, "options");
    LockKeys lockKeys = LockKeys.of(keys);
    runtime.store.check(lockKeys, options.fenced());
    return lockKeys;
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(
        () -> {
          if (runtime.claims.close()) {
            beginClosing();
          }
          return closed.asMono().publishOn(runtime.publishOn);
        });
  }

  private void beginClosing() {
    runtime.claims.end(false);
    Mono<Void> settled = runtime.claims.allSettled();
    settled
        .timeout(runtime.wheel.delay(closeTimeout), Mono.defer(() -> endNow(settled)))
        .then(
            Mono.defer(runtime.store::close)
                .timeout(
                    runtime.wheel.delay(runtime.commandTimeout), Mono.error(TimeoutException::new)))
        .subscribe(
            nothing -> {},
            e -> {
              LOG.warn("the store of a closing locker could not be closed", e);
              endClosing();
            },
            this::endClosing);
  }

  private Mono<Void> endNow(Mono<Void> settled) {
    runtime.claims.end(true);
    return settled.timeout(
        runtime.wheel.delay(LAST_RELEASES), Mono.fromRunnable(runtime.claims::forsake));
  }

  private void endClosing() {
    runtime.wheel.stop();
    closed.tryEmitEmpty();
    if (ownsTimer) {
      Schedulers.boundedElastic().schedule(runtime.timer::dispose); // it waits for a lock
    }
  }
}
