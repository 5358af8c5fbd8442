// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

/** The first outcome of a release, for all its subscribers, signalled on the users' scheduler. */
final class ReleaseOutcome {

  private final LockerContext locker;
  private final LockKeys keys;
  private final Supplier<? extends Throwable> timeoutError;
  private @Nullable Boolean value; // guarded by this
  private @Nullable Throwable problem; // guarded by this

  /** A list linked by {@code next}, mostly of one. */
  private @Nullable OutcomeSubscription subscriptions; // guarded by this

  /**
   * @param timeoutError the error of subscribers whose timeout is over
   */
  ReleaseOutcome(LockerContext locker, LockKeys keys, Supplier<? extends Throwable> timeoutError) {
    this.locker = locker;
    this.keys = keys;
    this.timeoutError = timeoutError;
  }

  void set(boolean wasOurs) {
    set(wasOurs, null);
  }

  void set(Throwable problem) {
    set(null, problem);
  }

  private void set(@Nullable Boolean value, @Nullable Throwable problem) {
    OutcomeSubscription subscription;
    synchronized (this) {
      if (isKnown()) {
        return;
      }
      this.value = value;
      this.problem = problem;
      subscription = subscriptions;
      subscriptions = null;
    }
    for (; subscription != null; subscription = subscription.next) {
      subscription.complete(value, problem);
    }
  }

  private boolean isKnown() {
    return value != null || problem != null;
  }

  /**
   * The outcome, if it comes in time. Once the locker is closed, a missing outcome is an error at
   * once: the timer has stopped, and no answer is processed any more.
   *
   * @param limit how long to wait for it
   */
  Mono<Boolean> within(Duration limit) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Boolean> subscriber) {
        subscriber.onSubscribe(new OutcomeSubscription(subscriber, limit));
      }
    };
  }

  private synchronized boolean join(OutcomeSubscription subscription) {
    if (isKnown()) {
      return false;
    }
    subscription.next = subscriptions;
    subscriptions = subscription;
    return true;
  }

  private synchronized void leave(OutcomeSubscription subscription) {
    OutcomeSubscription kept = null;
    for (OutcomeSubscription each = subscriptions; each != null; ) {
      OutcomeSubscription next = each.next;
      if (!each.equals(subscription)) {
        each.next = kept;
        kept = each;
      }
      each = next;
    }
    subscriptions = kept;
  }

  private final class OutcomeSubscription implements Subscription {

    private final CoreSubscriber<? super Boolean> subscriber;
    private final Duration limit;
    private @Nullable OutcomeSubscription next; // guarded by the outcome
    private boolean begun; // guarded by this
    private boolean over; // guarded by this
    private TimerWheel.@Nullable Task timeout; // guarded by this

    OutcomeSubscription(CoreSubscriber<? super Boolean> subscriber, Duration limit) {
      this.subscriber = subscriber;
      this.limit = limit;
    }

    @Override
    public void request(long n) {
      if (!Operators.validate(n)) {
        return;
      }
      synchronized (this) {
        if (begun || over) {
          return;
        }
        begun = true;
        if (!locker.wheel.isStopped()) {
          timeout = locker.wheel.after(limit, this::timedOut);
        }
      }
      if (!join(this)) {
        complete(value, problem);
      } else if (locker.wheel.isStopped()) {
        timedOut();
      }
    }

    private void timedOut() {
      leave(this);
      complete(null, timeoutError.get());
    }

    void complete(@Nullable Boolean value, @Nullable Throwable problem) {
      if (end()) {
        locker.publish(keys, () -> signal(value, problem));
      }
    }

    private void signal(@Nullable Boolean value, @Nullable Throwable problem) {
      if (problem != null) {
        subscriber.onError(problem);
      } else if (value != null) {
        subscriber.onNext(value);
        subscriber.onComplete();
      }
    }

    @Override
    public void cancel() {
      if (end()) {
        leave(this);
      }
    }

    private synchronized boolean end() {
      if (over) {
        return false;
      }
      over = true;
      if (timeout != null) {
        timeout.cancel();
      }
      return true;
    }
  }
}
