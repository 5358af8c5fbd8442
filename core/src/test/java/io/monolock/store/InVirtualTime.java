// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SignalType;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A store in memory whose time passes only when a test says so, and lockers in the same time. */
public abstract class InVirtualTime {

  /** The clock, the timer and the only thread of all lockers. */
  public final VirtualTimeScheduler time = VirtualTimeScheduler.create();

  /** Where the keys are. */
  public final InMemoryLockStore memory = InMemoryLockStore.create(time);

  /** A builder of a locker in this time. */
  protected final ReactiveLocker.Builder builder(LockStore store) {
    return ReactiveLocker.builder(store).timer(time).publishOn(time);
  }

  /** Another locker over the same keys, as another process would be. */
  public final ReactiveLocker another() {
    return builder(memory).build();
  }

  /** Subscribes with unbounded demand, runs what is due now, and keeps what comes. */
  public final <T> SignalProbe<T> run(Publisher<T> publisher) {
    return run(publisher, Long.MAX_VALUE);
  }

  /** Subscribes with this demand, runs what is due now, and keeps what comes. */
  public final <T> SignalProbe<T> run(Publisher<T> publisher, long demand) {
    SignalProbe<T> probe = new SignalProbe<>(demand);
    Flux.from(publisher).subscribe(probe);
    time.advanceTime();
    return probe;
  }

  /** Cancels, and runs what is due now. */
  public final void cancel(SignalProbe<?> probe) {
    probe.cancel();
    time.advanceTime();
  }

  /** Lets this time pass, and runs what is due meanwhile. */
  public final void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }

  /** Whether the key has no holder. */
  public final boolean isFree(String key) {
    return memory.inspect(key).blockOptional().isEmpty();
  }

  /** What a subscriber got. */
  public static final class SignalProbe<T> extends BaseSubscriber<T> {

    /** All values, in their order. */
    public final List<T> values = new CopyOnWriteArrayList<>();

    /** The error, null if there was none. */
    public volatile Throwable error;

    /** How it ended, null if it has not. */
    public volatile SignalType end;

    private final long demand;

    /** Requests all. */
    public SignalProbe() {
      this(Long.MAX_VALUE);
    }

    private SignalProbe(long demand) {
      this.demand = demand;
    }

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      if (demand > 0) {
        subscription.request(demand);
      }
    }

    @Override
    protected void hookOnNext(T value) {
      values.add(value);
    }

    @Override
    protected void hookOnError(Throwable e) {
      error = e;
    }

    @Override
    protected void hookFinally(SignalType type) {
      end = type;
    }

    /** The only value; fails the test when there is none or an error came. */
    public T value() {
      if (error != null || values.size() != 1) {
        throw new AssertionError("expected one value, got " + values, error);
      }
      return values.get(0);
    }

    /** The error; fails the test when there is none of this type. */
    public <E extends Throwable> E error(Class<E> type) {
      if (!type.isInstance(error)) {
        throw new AssertionError("expected " + type.getSimpleName() + ", got " + values, error);
      }
      return type.cast(error);
    }

    /** Whether there was neither a value nor an end. */
    public boolean isPending() {
      return end == null && values.isEmpty();
    }
  }
}
