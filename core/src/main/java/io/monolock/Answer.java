// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.StoreFailure;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Hears one answer of the store, and never cancels: whoever asked may have gone, but what was asked
 * is heard to its end. Exactly one of its two callbacks is called, at most once, whatever the store
 * does.
 */
final class Answer<T> implements CoreSubscriber<T> {

  private final Context context;
  private final Consumer<? super T> answered;
  private final Consumer<StoreFailure> failed;
  private boolean done;

  private Answer(Context context, Consumer<? super T> answered, Consumer<StoreFailure> failed) {
    this.context = context;
    this.answered = answered;
    this.failed = failed;
  }

  static <T> void hear(
      LockerRuntime runtime,
      Supplier<Mono<T>> call,
      Context context,
      Consumer<? super T> answered,
      Consumer<StoreFailure> failed) {
    Answer<T> answer = new Answer<>(context, answered, failed);
    try {
      call.get().subscribe(answer);
    } catch (Throwable e) {
      answer.onError(e);
    }
  }

  /** What a store signalled, as the failure it should have been. */
  static StoreFailure failure(Throwable e) {
    if (e instanceof StoreFailure failure) {
      return failure;
    }
    return new StoreFailure(
        StoreFailure.Reason.UNKNOWN_OUTCOME, false, "the store failed unexpectedly: " + e, e);
  }

  /** Whether a call that failed like this may have taken effect all the same. */
  static boolean isInDoubt(StoreFailure failure) {
    return switch (failure.reason()) {
      case TIMEOUT, UNKNOWN_OUTCOME, NOT_REPLICATED -> true;
      case UNAVAILABLE, SERVER_STATE, PERMISSION, MISUSE -> false;
    };
  }

  @Override
  public Context currentContext() {
    return context;
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    subscription.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(T value) {
    if (!done) {
      done = true;
      answered.accept(value);
    }
  }

  @Override
  public void onError(Throwable e) {
    if (!done) {
      done = true;
      failed.accept(failure(e));
    }
  }

  @Override
  public void onComplete() {
    if (!done) {
      onError(new IllegalStateException("a call to the store completed without an answer"));
    }
  }
}
