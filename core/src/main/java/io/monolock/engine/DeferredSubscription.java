// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Operators;

/**
 * Stands for a subscription that is not there yet: keeps the demand until it is.
 *
 * <p>Reactor's own deferred subscription is cancelled only after its first request call has
 * returned. A source that emits without end on the requesting thread could never be cancelled.
 */
final class DeferredSubscription implements Subscription {

  private static final AtomicReferenceFieldUpdater<DeferredSubscription, @Nullable Subscription>
      SUBSCRIPTION =
          AtomicReferenceFieldUpdater.newUpdater(
              DeferredSubscription.class, Subscription.class, "subscription");

  private static final AtomicLongFieldUpdater<DeferredSubscription> EARLY =
      AtomicLongFieldUpdater.newUpdater(DeferredSubscription.class, "early");

  @SuppressWarnings("UnusedVariable") // by EARLY
  private volatile long early;

  private volatile @Nullable Subscription subscription;

  void set(Subscription subscription) {
    if (Operators.setOnce(SUBSCRIPTION, this, subscription)) {
      requestEarly(subscription);
    }
  }

  @Override
  public void request(long n) {
    Subscription present = subscription;
    if (present != null) {
      present.request(n);
    } else if (Operators.validate(n)) {
      EARLY.accumulateAndGet(this, n, Operators::addCap);
      present = subscription;
      if (present != null) {
        requestEarly(present);
      }
    }
  }

  private void requestEarly(Subscription subscription) {
    long n = EARLY.getAndSet(this, 0);
    if (n > 0) {
      subscription.request(n);
    }
  }

  @Override
  public void cancel() {
    Operators.terminate(SUBSCRIPTION, this);
  }
}
