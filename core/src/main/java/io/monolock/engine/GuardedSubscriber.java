// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockLostException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * Stands between a body under a lock and the body's subscriber.
 *
 * <h2>Why an operator of our own</h2>
 *
 * <p>The body is raced with the loss of the lock, each of its signals is checked against the
 * deadline, a cancelled body may have to run to its end, and a fatal error that it throws while it
 * is subscribed still has to free the lock. The operators of Reactor do one or the other.
 */
abstract class GuardedSubscriber<T> implements CoreSubscriber<T>, Subscription {

  private static final Logger LOG = LoggerFactory.getLogger(GuardedSubscriber.class);

  @SuppressWarnings("rawtypes")
  private static final AtomicIntegerFieldUpdater<GuardedSubscriber> SIGNALLING =
      AtomicIntegerFieldUpdater.newUpdater(GuardedSubscriber.class, "signalling");

  private final HeldLock lock;
  private final CoreSubscriber<? super T> subscriber;

  /** Counts signals under way, so that a loss is not signalled while an element is. */
  @SuppressWarnings("UnusedVariable") // by SIGNALLING
  private volatile int signalling;

  private volatile boolean over; // written under the monitor

  private final DeferredSubscription source = new DeferredSubscription();

  private volatile @Nullable Throwable problem;
  private volatile boolean begun;
  private volatile boolean dropping;

  GuardedSubscriber(HeldLock lock, CoreSubscriber<? super T> subscriber) {
    this.lock = lock;
    this.subscriber = subscriber;
  }

  /** The body; called once. */
  abstract Publisher<T> body();

  /** Why the body must end, null as long as it may go on. */
  abstract @Nullable LockLostException loss();

  /** The body has ended or was cancelled; may be called more than once. */
  abstract void bodyEnded();

  /** A fatal error is thrown instead of signalled; here it still frees the lock. */
  void begin() {
    if (over) {
      return;
    }
    begun = true;
    try {
      Objects.requireNonNull(body(), "the body of a lock must not be null").subscribe(this);
    } catch (Throwable e) {
      thrown(e);
    }
  }

  private void thrown(Throwable e) {
    source.cancel();
    onError(e);
  }

  @Override
  public Context currentContext() {
    return subscriber.currentContext();
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    source.set(subscription);
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
      logDropped(e);
      bodyEnded();
      return;
    }
    if (loss != null) {
      e.addSuppressed(loss);
    }
    bodyEnded();
    subscriber.onError(e);
  }

  /** No warning for a loss, as of a lock within this one: it is no failure of the body. */
  private void logDropped(Throwable e) {
    if (!(e instanceof LockLostException)) {
      LOG.warn("the body under {} failed after it was cancelled", lock.keys(), e);
    }
  }

  private boolean isLost() {
    LockLostException loss = loss();
    if (loss == null) {
      return false;
    }
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

  /** Cancels the body and signals the problem instead of its outcome. */
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
      source.cancel();
    } catch (Throwable e) {
      LOG.warn("the body under {} could not be cancelled", lock.keys(), e);
    }
    bodyEnded();
  }

  @Override
  public void request(long n) {
    try {
      source.request(n);
    } catch (Throwable e) {
      thrown(e);
    }
  }

  @Override
  public void cancel() {
    if (begun && lock.claim().options.finishOnCancel()) {
      dropping = true;
      lock.claim().locker.publish(() -> request(Long.MAX_VALUE));
    } else if (conclude()) {
      lock.claim().locker.publish(this::cancelBody);
    }
  }
}
