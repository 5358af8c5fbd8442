// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * One call to the store, never cancelled: the caller may have gone, but the answer is processed
 * whenever it comes. {@link #answered} or {@link #failed} is called once, whatever the store
 * signals or throws; neither if it never signals.
 */
abstract class StoreCall<T> implements CoreSubscriber<T> {

  private final Context context;
  private boolean done;

  StoreCall(Context context) {
    this.context = context;
  }

  abstract Mono<T> call();

  final void send() {
    try {
      call().subscribe(this);
    } catch (Throwable e) {
      onError(e);
    }
  }

  abstract void answered(T value);

  abstract void failed(StoreFailure failure);

  /** The error as a failure of a store, also if the store signalled anything else. */
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
