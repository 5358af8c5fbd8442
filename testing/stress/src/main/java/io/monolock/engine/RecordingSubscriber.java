// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/** A subscriber that counts all signals, also those that break the rules of Reactive Streams. */
final class RecordingSubscriber<T> implements CoreSubscriber<T> {

  private final AtomicInteger values = new AtomicInteger();
  private final AtomicInteger completions = new AtomicInteger();
  private final AtomicInteger errors = new AtomicInteger();
  private volatile @Nullable T value;
  private volatile @Nullable Throwable error;
  private volatile Subscription subscription = Operators.cancelledSubscription();

  @Override
  public void onSubscribe(Subscription subscription) {
    this.subscription = subscription;
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(T value) {
    this.value = value;
    values.incrementAndGet();
  }

  @Override
  public void onError(Throwable e) {
    error = e;
    errors.incrementAndGet();
  }

  @Override
  public void onComplete() {
    completions.incrementAndGet();
  }

  void cancel() {
    subscription.cancel();
  }

  boolean gotNothing() {
    return values.get() + completions.get() + errors.get() == 0;
  }

  boolean gotOneValue() {
    return values.get() == 1 && completions.get() == 1 && errors.get() == 0;
  }

  boolean gotOneError(Class<? extends Throwable> type) {
    return values.get() == 0
        && completions.get() == 0
        && errors.get() == 1
        && type.isInstance(error);
  }

  boolean gotCompletion() {
    return completions.get() == 1 && errors.get() == 0;
  }

  T value() {
    T value = this.value;
    if (value == null) {
      throw new IllegalStateException("there was no value");
    }
    return value;
  }
}
