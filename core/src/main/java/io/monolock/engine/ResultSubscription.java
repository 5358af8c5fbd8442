// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/**
 * A subscription to the one result of a call, which is signalled on the users' threads. The call
 * begins at the first request; after cancel its result is dropped.
 */
abstract class ResultSubscription<T> implements Subscription, Runnable {

  private enum State {
    NEW,
    REQUESTED,
    /** The result is known, and about to be signalled. */
    KNOWN,
    OVER
  }

  @SuppressWarnings("rawtypes")
  private static final AtomicReferenceFieldUpdater<ResultSubscription, State> STATE =
      AtomicReferenceFieldUpdater.newUpdater(ResultSubscription.class, State.class, "state");

  final LockerContext locker;
  private final CoreSubscriber<? super T> subscriber;
  private volatile State state = State.NEW;

  /** Before it is known; one of them at most is. */
  private @Nullable T value;

  private @Nullable Supplier<@Nullable T> source;
  private @Nullable Throwable error;

  ResultSubscription(LockerContext locker, CoreSubscriber<? super T> subscriber) {
    this.locker = locker;
    this.subscriber = subscriber;
  }

  abstract void begin();

  /** The subscriber has cancelled, or the result is known: nothing is waited for any more. */
  void ended() {}

  /** The subscriber has cancelled a result that is known, and never gets it. */
  void cancelled() {}

  final Context context() {
    return subscriber.currentContext();
  }

  final boolean isOpen() {
    return state == State.REQUESTED;
  }

  @Override
  public final void request(long n) {
    if (Operators.validate(n) && STATE.compareAndSet(this, State.NEW, State.REQUESTED)) {
      begin();
    }
  }

  @Override
  public final void cancel() {
    State before = STATE.getAndSet(this, State.OVER);
    if (before == State.REQUESTED) {
      ended();
    } else if (before == State.KNOWN) {
      cancelled();
    }
  }

  final void value(T value) {
    if (isFirst()) {
      this.value = value;
      signal();
    }
  }

  /**
   * The value is made when it is signalled, and not after cancel; null for none.
   *
   * @return false if the subscription is over already
   */
  final boolean value(Supplier<@Nullable T> source) {
    if (!isFirst()) {
      return false;
    }
    this.source = source;
    signal();
    return true;
  }

  final void empty() {
    if (isFirst()) {
      signal();
    }
  }

  final void error(Throwable error) {
    if (isFirst()) {
      this.error = error;
      signal();
    }
  }

  private boolean isFirst() {
    return STATE.compareAndSet(this, State.REQUESTED, State.KNOWN);
  }

  private void signal() {
    ended();
    locker.executor.run(this);
  }

  /** Signals the result. */
  @Override
  public final void run() {
    if (!STATE.compareAndSet(this, State.KNOWN, State.OVER)) {
      return;
    }
    T value = this.value;
    Throwable error = this.error;
    if (source != null) {
      try {
        value = source.get();
      } catch (Throwable e) {
        error = e;
      }
    }
    if (error != null) {
      subscriber.onError(error);
      return;
    }
    if (value != null) {
      subscriber.onNext(value);
    }
    subscriber.onComplete();
  }
}
