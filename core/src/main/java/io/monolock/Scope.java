// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * One body under one lock, as the resource of a {@code usingWhen}: {@link #body()} is what runs,
 * and {@link #end()} frees the keys whatever became of it.
 *
 * <h2>Why an operator of our own</h2>
 *
 * <p>The body is raced with the loss of the lock, each of its signals is checked against the
 * deadline, a cancelled body may have to run to its end, and a fatal error that it throws while it
 * is subscribed still has to free the lock. The operators of Reactor do one or the other.
 */
final class Scope<T> extends Flux<T> implements KeepAlive.Watcher, Claim.Owner {

  private static final Logger LOG = LoggerFactory.getLogger(Scope.class);
  private static final Duration RELEASE_PATIENCE = Duration.ofSeconds(1);

  @SuppressWarnings("rawtypes")
  private static final AtomicIntegerFieldUpdater<Scope.Guard> SIGNALLING =
      AtomicIntegerFieldUpdater.newUpdater(Scope.Guard.class, "signalling");

  private final HeldLock lock;
  private final LockerRuntime runtime;
  private final Function<? super Lock, ? extends Publisher<T>> function;
  private @Nullable Runnable whenEnded; // guarded by this
  private boolean bodyEnded; // guarded by this
  private volatile @Nullable Guard guard;
  private volatile boolean lost;

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
    Guard guard = new Guard(subscriber);
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
    lock.beginRelease();
    if (lost) {
      return Mono.empty();
    }
    return lock.claim().release().outcome(RELEASE_PATIENCE).then().onErrorComplete();
  }

  /** A release by the body itself is its own business; any other end of the lock ends the body. */
  @Override
  public void lost(LockLostException loss) {
    Guard guard = this.guard;
    if (guard != null && loss.reason() != LockLostException.Reason.RELEASED) {
      lost = true;
      guard.abort(loss);
    }
  }

  @Override
  public void end(boolean now) {
    Guard guard = this.guard;
    if (guard != null && (now || !lock.claim().options.finishOnCancel())) {
      runtime.publish(() -> guard.abort(runtime.closed(lock.claim().keys)));
    }
  }

  @Override
  public void released(boolean wasOurs) {
    lock.released(wasOurs);
  }

  /** Stands between the body and the subscriber of the scope. */
  private final class Guard implements CoreSubscriber<T>, Subscription {

    private final CoreSubscriber<? super T> subscriber;

    /** Counts signals under way, so that a loss is not signalled while an element is. */
    @SuppressWarnings("UnusedVariable") // by SIGNALLING
    private volatile int signalling;

    private volatile boolean over; // written under the monitor

    private final LateSubscription body = new LateSubscription();

    private volatile @Nullable Throwable problem;
    private volatile boolean begun;
    private volatile boolean dropping;

    Guard(CoreSubscriber<? super T> subscriber) {
      this.subscriber = subscriber;
    }

    /** A fatal error is thrown instead of signalled; here it still frees the lock. */
    void begin() {
      if (over) {
        return;
      }
      begun = true;
      try {
        Objects.requireNonNull(function.apply(lock), "the body of a lock must not be null")
            .subscribe(this);
      } catch (Throwable e) {
        thrown(e);
      }
    }

    private void thrown(Throwable e) {
      body.cancel();
      onError(e);
    }

    @Override
    public Context currentContext() {
      return subscriber.currentContext();
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      body.set(subscription);
    }

    @Override
    public void onNext(T value) {
      if (isLost() || over) {
        cancelBody(); // this thread may be the one that the cancellation waits for
        Operators.onDiscard(value, currentContext());
      } else if (!dropping && SIGNALLING.compareAndSet(this, 0, 1)) {
        subscriber.onNext(value);
        if (SIGNALLING.decrementAndGet(this) > 0) {
          signalProblem();
        }
      } else {
        Operators.onDiscard(value, currentContext());
      }
    }

    @Override
    public void onComplete() {
      if (!isLost() && conclude()) {
        bodyEnded();
        if (!dropping) {
          subscriber.onComplete();
        }
      }
    }

    @Override
    public void onError(Throwable e) {
      boolean first = conclude();
      LockLostException loss = loss();
      if (!first || dropping) {
        LOG.warn("the body under {} failed after it was cancelled", lock.keys(), e);
        bodyEnded();
        return;
      }
      if (loss != null) {
        lost = true;
        e.addSuppressed(loss);
      }
      bodyEnded();
      subscriber.onError(e);
    }

    private @Nullable LockLostException loss() {
      LockLostException loss = lock.loss();
      return loss == null || loss.reason() == LockLostException.Reason.RELEASED ? null : loss;
    }

    private boolean isLost() {
      LockLostException loss = loss();
      if (loss == null) {
        return false;
      }
      Scope.this.lost = true;
      abort(loss);
      return true;
    }

    private synchronized boolean conclude() {
      if (over) {
        return false;
      }
      over = true;
      return true;
    }

    /** Cancels the body and signals the problem instead of what it would have said. */
    void abort(Throwable problem) {
      if (!conclude()) {
        return;
      }
      cancelBody();
      this.problem = problem;
      if (!dropping && SIGNALLING.getAndIncrement(this) == 0) {
        signalProblem();
      }
    }

    private void signalProblem() {
      Throwable problem = this.problem;
      if (problem != null) {
        subscriber.onError(problem);
      }
    }

    private void cancelBody() {
      try {
        body.cancel();
      } catch (Throwable e) {
        LOG.warn("the body under {} could not be cancelled", lock.keys(), e);
      }
      bodyEnded();
    }

    @Override
    public void request(long n) {
      try {
        body.request(n);
      } catch (Throwable e) {
        thrown(e);
      }
    }

    @Override
    public void cancel() {
      if (begun && lock.claim().options.finishOnCancel()) {
        dropping = true;
        runtime.publish(() -> request(Long.MAX_VALUE));
      } else if (conclude()) {
        runtime.publish(this::cancelBody);
      }
    }
  }
}
