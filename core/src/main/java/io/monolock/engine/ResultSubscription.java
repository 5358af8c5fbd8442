// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.concurrent.atomic.AtomicReference;
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
abstract class ResultSubscription<T> implements Subscription {

  private enum State {
    NEW,
    REQUESTED,
    /** The result is known, and about to be signalled. */
    KNOWN,
    OVER
  }

  final LockerContext locker;
  private final CoreSubscriber<? super T> subscriber;
  private final AtomicReference<State> state = new AtomicReference<>(State.NEW);

  ResultSubscription(LockerContext locker, CoreSubscriber<? super T> subscriber) {
    this.locker = locker;
    this.subscriber = subscriber;
  }

  abstract void begin();

  /** The subscriber has cancelled, or the result is known: nothing is waited for any more. */
  void ended() {}

  final Context context() {
    return subscriber.currentContext();
  }

  final boolean isOpen() {
    return state.get() == State.REQUESTED;
  }

  @Override
  public final void request(long n) {
    if (Operators.validate(n) && state.compareAndSet(State.NEW, State.REQUESTED)) {
      begin();
    }
  }

  @Override
  public final void cancel() {
    State before = state.getAndSet(State.OVER);
    if (before == State.REQUESTED) {
      ended();
    }
  }

  final void value(T value) {
    signal(() -> value, null);
  }

  /** The value is made when it is signalled, and not after cancel; null for none. */
  final void value(Supplier<@Nullable T> value) {
    signal(value, null);
  }

  final void empty() {
    signal(() -> null, null);
  }

  final void error(Throwable error) {
    signal(() -> null, error);
  }

  private void signal(Supplier<@Nullable T> result, @Nullable Throwable error) {
    if (!state.compareAndSet(State.REQUESTED, State.KNOWN)) {
      return;
    }
    ended();
    locker.executor.run(
        () -> {
          if (!state.compareAndSet(State.KNOWN, State.OVER)) {
            return;
          }
          T value = null;
          Throwable problem = error;
          try {
            value = result.get();
          } catch (Throwable e) {
            problem = e;
          }
          if (problem != null) {
            subscriber.onError(problem);
            return;
          }
          if (value != null) {
            subscriber.onNext(value);
          }
          subscriber.onComplete();
        });
  }
}
