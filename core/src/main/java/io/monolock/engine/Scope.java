// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockLostException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One body under one lock, as the resource of a {@code usingWhen}: {@link #body()} is what runs,
 * and {@link #end()} frees the keys whatever became of it.
 */
final class Scope<T> extends Flux<T> implements KeepAlive.Watcher, Claim.Owner {

  private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(1);

  private final HeldLock lock;
  private final LockerContext runtime;
  private final Function<? super Lock, ? extends Publisher<T>> function;
  private @Nullable Runnable whenEnded; // guarded by this
  private boolean bodyEnded; // guarded by this
  private volatile @Nullable GuardedSubscriber<T> guard;

  Scope(HeldLock lock, Function<? super Lock, ? extends Publisher<T>> function) {
    this.lock = lock;
    this.runtime = lock.claim().runtime;
    this.function = function;
  }

  Flux<T> body() {
    return this;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> subscriber) {
    GuardedSubscriber<T> guard =
        new GuardedSubscriber<>(lock, subscriber) {
          @Override
          Publisher<T> body() {
            return function.apply(lock);
          }

          @Override
          @Nullable LockLostException loss() {
            return Scope.this.loss();
          }

          @Override
          void bodyEnded() {
            Scope.this.bodyEnded();
          }
        };
    this.guard = guard;
    subscriber.onSubscribe(guard);
    lock.claim().owner(this);
    lock.keeper().add(this);
    if (runtime.claims.isClosed()) {
      guard.abort(runtime.closed(lock.claim().keys));
    }
    guard.begin();
  }

  /**
   * Frees the keys; completes when that is done, or does not matter any more, or takes too long.
   */
  Mono<Void> end() {
    return Mono.<Void>create(sink -> whenEnded(sink::success)).then(Mono.defer(this::release));
  }

  private void whenEnded(Runnable action) {
    synchronized (this) {
      if (!bodyEnded) {
        whenEnded = action;
        return;
      }
    }
    action.run();
  }

  private void bodyEnded() {
    Runnable action;
    synchronized (this) {
      bodyEnded = true;
      action = whenEnded;
      whenEnded = null;
    }
    if (action != null) {
      action.run();
    }
  }

  private Mono<Void> release() {
    lock.keeper().remove(this);
    boolean lost = loss() != null;
    lock.beginRelease();
    if (lost) {
      return Mono.empty();
    }
    return lock.claim().release().outcome(RELEASE_PATIENCE).then().onErrorComplete();
  }

  /** A release by the body itself is its own business; any other end of the lock ends the body. */
  private @Nullable LockLostException loss() {
    LockLostException loss = lock.loss();
    return loss == null || loss.reason() == LockLostException.Reason.RELEASED ? null : loss;
  }

  @Override
  public void lost(LockLostException unused) {
    GuardedSubscriber<T> guard = this.guard;
    LockLostException loss = loss();
    if (guard != null && loss != null) {
      guard.abort(loss);
    }
  }

  @Override
  public void end(boolean now) {
    GuardedSubscriber<T> guard = this.guard;
    if (guard != null && (now || !lock.claim().options.finishOnCancel())) {
      runtime.publish(() -> guard.abort(runtime.closed(lock.claim().keys)));
    }
  }

  @Override
  public void released(boolean wasOurs) {
    lock.released(wasOurs);
  }

  @Override
  public Optional<LockActivity> activity() {
    return lock.activity();
  }
}
