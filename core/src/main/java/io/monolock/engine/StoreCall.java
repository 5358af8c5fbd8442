// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Hears one answer of the store, and never cancels: whoever asked may have gone, but what was asked
 * is heard to its end. One of its two methods is called, once, whatever the store does; none if it
 * does nothing.
 */
abstract class StoreCall<T> implements CoreSubscriber<T> {

  private final Context context;
  private boolean done;

  StoreCall(Context context) {
    this.context = context;
  }

  /** The call that is to be heard. */
  abstract Mono<T> call();

  /** Makes the call. */
  final void send() {
    try {
      call().subscribe(this);
    } catch (Throwable e) {
      onError(e);
    }
  }

  abstract void answered(T value);

  abstract void failed(StoreFailure failure);

  /** What a store signalled, as the failure it should have been. */
  static StoreFailure failure(Throwable e) {
    if (e instanceof StoreFailure failure) {
      return failure;
    }
    return new StoreFailure(
        StoreProblem.Reason.UNKNOWN_OUTCOME, false, "the store failed unexpectedly: " + e, e);
  }

  @Override
  public final Context currentContext() {
    return context;
  }

  @Override
  public final void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public final void onNext(T value) {
    if (!done) {
      done = true;
      answered(value);
    }
  }

  @Override
  public final void onError(Throwable e) {
    if (!done) {
      done = true;
      failed(failure(e));
    }
  }

  @Override
  public final void onComplete() {
    if (!done) {
      onError(new IllegalStateException("a call to the store completed without an answer"));
    }
  }
}
