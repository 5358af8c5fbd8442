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

/** The first outcome of a release, for everybody who asks, on the users' scheduler. */
final class ReleaseOutcome {

  private final LockerContext runtime;
  private final LockKeys keys;
  private final Supplier<? extends Throwable> late;
  private @Nullable Boolean value; // guarded by this
  private @Nullable Throwable problem; // guarded by this
  private @Nullable Waiting waiting; // guarded by this, mostly one, each knows the next

  /**
   * @param late what to tell those who do not want to wait any longer
   */
  ReleaseOutcome(LockerContext runtime, LockKeys keys, Supplier<? extends Throwable> late) {
    this.runtime = runtime;
    this.keys = keys;
    this.late = late;
  }

  void is(boolean wasOurs) {
    tell(wasOurs, null);
  }

  void is(Throwable problem) {
    tell(null, problem);
  }

  private void tell(@Nullable Boolean value, @Nullable Throwable problem) {
    Waiting told;
    synchronized (this) {
      if (isKnown()) {
        return;
      }
      this.value = value;
      this.problem = problem;
      told = waiting;
      waiting = null;
    }
    for (; told != null; told = told.next) {
      told.told(value, problem);
    }
  }

  private boolean isKnown() {
    return value != null || problem != null;
  }

  /**
   * The outcome, if it comes in time. A locker that has closed will never know more than it does.
   *
   * @param limit how long to wait for it
   */
  Mono<Boolean> within(Duration limit) {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Boolean> subscriber) {
        subscriber.onSubscribe(new Waiting(subscriber, limit));
      }
    };
  }

  private synchronized boolean join(Waiting newcomer) {
    if (isKnown()) {
      return false;
    }
    newcomer.next = waiting;
    waiting = newcomer;
    return true;
  }

  private synchronized void leave(Waiting goer) {
    Waiting kept = null;
    for (Waiting each = waiting; each != null; ) {
      Waiting next = each.next;
      if (!each.equals(goer)) {
        each.next = kept;
        kept = each;
      }
      each = next;
    }
    waiting = kept;
  }

  /** One who asked. */
  private final class Waiting implements Subscription {

    private final CoreSubscriber<? super Boolean> subscriber;
    private final Duration limit;
    private @Nullable Waiting next; // guarded by the outcome
    private boolean begun; // guarded by this
    private boolean over; // guarded by this
    private TimerWheel.@Nullable Task timeout; // guarded by this

    Waiting(CoreSubscriber<? super Boolean> subscriber, Duration limit) {
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
        if (!runtime.wheel.isStopped()) {
          timeout = runtime.wheel.after(limit, this::tooLate);
        }
      }
      if (!join(this)) {
        told(value, problem);
      } else if (runtime.wheel.isStopped()) {
        tooLate();
      }
    }

    private void tooLate() {
      leave(this);
      told(null, late.get());
    }

    void told(@Nullable Boolean value, @Nullable Throwable problem) {
      if (end()) {
        runtime.publish(keys, () -> signal(value, problem));
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
