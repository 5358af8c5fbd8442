// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.check;

import io.monolock.Lock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

/** Stands between the library and the subscriber, and writes down each signal of a call. */
public final class Watch<T> implements CoreSubscriber<T>, Subscription {

  private final Call call;
  private final Checker checker;
  private final CoreSubscriber<? super T> actual;
  private final Consumer<Handle> delivered;
  private Subscription upstream = Operators.emptySubscription();

  private Watch(
      Call call, Checker checker, CoreSubscriber<? super T> actual, Consumer<Handle> delivered) {
    this.call = call;
    this.checker = checker;
    this.actual = actual;
    this.delivered = delivered;
  }

  /** Watches each subscription as a call of its own. */
  public static <T> Mono<T> mono(Mono<T> source, Checker checker, Supplier<Call> call) {
    return Mono.fromDirect(flux(made -> source, checker, call, handle -> {}));
  }

  /**
   * Watches each subscription as a call of its own.
   *
   * @param delivered is given the handle before the subscriber is
   */
  public static <T> Flux<T> flux(
      Function<Call, Publisher<T>> source,
      Checker checker,
      Supplier<Call> call,
      Consumer<Handle> delivered) {
    return new Flux<>() {
      @Override
      public void subscribe(CoreSubscriber<? super T> actual) {
        Call made = call.get();
        checker.asked(made);
        source.apply(made).subscribe(new Watch<>(made, checker, actual, delivered));
      }
    };
  }

  @Override
  public Context currentContext() {
    return actual.currentContext().put(Call.class, call);
  }

  @Override
  public void onSubscribe(Subscription subscription) {
    upstream = subscription;
    actual.onSubscribe(this);
  }

  private boolean isExpected(String signal) {
    checker.userCode("a signal of " + call.kind);
    if (call.completed || call.error != null) {
      checker.broken(
          "OneSignal: " + signal + " after the end of " + call.kind, subject(), call.toString());
      return false;
    }
    if (call.cancelled && mayLeak() && signal.equals("onNext")) {
      checker.broken("OneSignal: a lock after cancel of " + call.kind, subject(), call.toString());
    }
    return true;
  }

  /** Reactive Streams lets a signal come that was under way; a lock would never be given back. */
  private boolean mayLeak() {
    return switch (call.kind) {
      case ACQUIRE, TRY_ACQUIRE -> true;
      default -> false;
    };
  }

  private String subject() {
    return call.keys.asList().get(0);
  }

  @Override
  public void onNext(T value) {
    if (isExpected("onNext")) {
      call.values.add(value);
      if (value instanceof Lock lock) {
        delivered.accept(checker.delivered(lock, call));
      }
      actual.onNext(value);
    }
  }

  @Override
  public void onError(Throwable e) {
    if (isExpected("onError")) {
      boolean wasOver = call.isOver();
      call.error = e;
      if (!wasOver) {
        checker.ended(call);
      }
      actual.onError(e);
    }
  }

  @Override
  public void onComplete() {
    if (isExpected("onComplete")) {
      boolean wasOver = call.isOver();
      call.completed = true;
      if (!wasOver) {
        checker.ended(call);
      }
      actual.onComplete();
    }
  }

  @Override
  public void request(long n) {
    upstream.request(n);
  }

  @Override
  public void cancel() {
    boolean wasOver = call.isOver();
    call.cancelled = true;
    if (!wasOver) {
      checker.ended(call);
    }
    upstream.cancel();
  }
}
