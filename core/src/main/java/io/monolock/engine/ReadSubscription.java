// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockException;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.util.function.Supplier;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** A call to the store that no lease is concerned with, for its one subscriber. */
final class ReadSubscription<T> extends ResultSubscription<T> {

  private final LockKeys keys;
  private final String operation;
  private final StoreProblem.Reason unanswered;
  private final Supplier<Mono<T>> call;

  /**
   * A subscription.
   *
   * @param operation what could not be done, in an error
   * @param unanswered the reason of the error when there was no answer in time
   */
  ReadSubscription(
      LockerContext locker,
      LockKeys keys,
      String operation,
      StoreProblem.Reason unanswered,
      Supplier<Mono<T>> call,
      CoreSubscriber<? super T> subscriber) {
    super(locker, subscriber);
    this.keys = keys;
    this.operation = operation;
    this.unanswered = unanswered;
    this.call = call;
  }

  @Override
  void begin() {
    ReadCall read = new ReadCall();
    read.send();
    read.limit(locker.commandTimeout);
  }

  private final class ReadCall extends StoreCall<T> {

    ReadCall() {
      super(ReadSubscription.this.locker, context());
    }

    @Override
    Mono<T> call() {
      return call.get();
    }

    @Override
    StoreProblem.Reason reasonWhenUnanswered() {
      return unanswered;
    }

    @Override
    void answered(T value) {
      value(value);
    }

    @Override
    void empty() {
      ReadSubscription.this.empty();
    }

    @Override
    void failed(StoreFailure failure) {
      if (failure.getCause() instanceof LockException problem) {
        error(problem);
      } else {
        error(locker.failed(keys, operation, failure));
      }
    }
  }
}
