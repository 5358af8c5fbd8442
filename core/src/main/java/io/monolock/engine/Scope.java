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
 * One body under one lock, as the resource of a {@code usingWhen}: {@link #body()} runs it, and
 * {@link #end()} frees the keys whatever became of it.
 */
final class Scope<T> extends Flux<T> implements KeepAlive.LossListener, HeldLock.Owner {

  private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(1);

  private final HeldLock lock;
  private final LockerContext locker;
  private final Function<? super Lock, ? extends Publisher<T>> function;
  private @Nullable Runnable whenEnded; // guarded by this
  private boolean bodyEnded; // guarded by this
  private volatile @Nullable GuardedSubscriber<T> guardedBody;

  Scope(HeldLock lock, Function<? super Lock, ? extends Publisher<T>> function) {
    this.lock = lock;
    this.locker = lock.locker;
    this.function = function;
  }

  Flux<T> body() {
    return this;
  }

  @Override
  public void subscribe(CoreSubscriber<? super T> subscriber) {
    GuardedSubscriber<T> guardedBody =
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
    this.guardedBody = guardedBody;
    subscriber.onSubscribe(guardedBody);
    lock.owner(this);
    lock.sharedKeepAlive().add(this);
    if (locker.leases.isClosed()) {
      guardedBody.abort(locker.closed(lock.keys));
    }
    guardedBody.begin();
  }

  /** Frees the keys once the body has ended, and waits for their release, for 1 s at most. */
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
    lock.sharedKeepAlive().remove(this);
    if (loss() != null) {
      lock.beginRelease();
      return Mono.empty();
    }
    return lock.release(RELEASE_TIMEOUT).then().onErrorComplete();
  }

  /** Null also when the body itself released the lock: any other end of the lock ends the body. */
  private @Nullable LockLostException loss() {
    LockLostException loss = lock.loss();
    return loss != null && loss.reason() == LockLostException.Reason.RELEASED && lock.isReleased()
        ? null
        : loss;
  }

  @Override
  public void lost(LockLostException unused) {
    GuardedSubscriber<T> guardedBody = this.guardedBody;
    LockLostException loss = loss();
    if (guardedBody != null && loss != null) {
      guardedBody.abort(loss);
    }
  }

  @Override
  public void end(boolean now) {
    GuardedSubscriber<T> guardedBody = this.guardedBody;
    if (guardedBody != null && (now || !lock.options.finishOnCancel())) {
      locker.executor.run(() -> guardedBody.abort(locker.closed(lock.keys)));
    }
  }

  @Override
  public Optional<LockActivity> activity() {
    return Optional.of(lock.shown());
  }
}
