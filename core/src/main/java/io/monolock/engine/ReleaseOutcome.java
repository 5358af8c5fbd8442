// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/** The first outcome of a release, for all its subscribers, signalled on the users' threads. */
final class ReleaseOutcome {

  private final LockerContext locker;
  private final Supplier<? extends Throwable> timeoutError;
  private @Nullable Boolean value; // guarded by this, as all below
  private @Nullable Throwable problem;
  private @Nullable MemberSet<OutcomeSubscription> subscriptions;

  /**
   * @param timeoutError the error of subscribers whose timeout is over
   */
  ReleaseOutcome(LockerContext locker, Supplier<? extends Throwable> timeoutError) {
    this.locker = locker;
    this.timeoutError = timeoutError;
  }

  void set(boolean wasOurs) {
    set(wasOurs, null);
  }

  void set(Throwable problem) {
    set(null, problem);
  }

  private void set(@Nullable Boolean value, @Nullable Throwable problem) {
    @Nullable MemberSet<OutcomeSubscription> waiting;
    synchronized (this) {
      if (this.value != null || this.problem != null) {
        return;
      }
      this.value = value;
      this.problem = problem;
      waiting = subscriptions;
      subscriptions = null;
    }
    if (waiting != null) {
      waiting.forEach(subscription -> subscription.complete(value, problem));
    }
  }

  /**
   * The outcome, if it comes in time.
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

  private synchronized void leave(OutcomeSubscription subscription) {
    if (subscriptions != null) {
      boolean unused = subscriptions.remove(subscription);
    }
  }

  private final class OutcomeSubscription extends ResultSubscription<Boolean> {

    private final Duration limit;
    private volatile TimerWheel.@Nullable Task timeout;

    OutcomeSubscription(CoreSubscriber<? super Boolean> subscriber, Duration limit) {
      super(ReleaseOutcome.this.locker, subscriber);
      this.limit = limit;
    }

    @Override
    void begin() {
      Boolean value;
      Throwable problem;
      synchronized (ReleaseOutcome.this) {
        value = ReleaseOutcome.this.value;
        problem = ReleaseOutcome.this.problem;
        if (value == null && problem == null) {
          if (subscriptions == null) {
            subscriptions = new MemberSet<>();
          }
          subscriptions.add(this);
        }
      }
      if (value != null || problem != null) {
        complete(value, problem);
        return;
      }
      timeout = locker.wheel.limit(limit, () -> error(timeoutError.get()));
      if (!isOpen()) {
        ended();
      }
    }

    void complete(@Nullable Boolean value, @Nullable Throwable problem) {
      if (problem != null) {
        error(problem);
      } else if (value != null) {
        value(value);
      }
    }

    @Override
    void ended() {
      TimerWheel.Task timeout = this.timeout;
      if (timeout != null) {
        timeout.cancel();
      }
      leave(this);
    }
  }
}
