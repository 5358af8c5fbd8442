// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

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

/** Lockers in virtual time over one store in memory. */
final class InVirtualTime {

  final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  final InMemoryLockStore memory = InMemoryLockStore.create(time);
  final TestStore store = new TestStore(memory);
  final ReactiveLocker locker = ReactiveLocker.builder(store).timer(time).publishOn(time).build();

  /** Another locker over the same keys, as another process would be. */
  ReactiveLocker another() {
    return ReactiveLocker.builder(memory).timer(time).publishOn(time).build();
  }

  /** Subscribes, runs what is due now, and keeps what comes. */
  <T> Probe<T> run(Publisher<T> publisher) {
    return run(publisher, Long.MAX_VALUE);
  }

  <T> Probe<T> run(Publisher<T> publisher, long demand) {
    Probe<T> probe = new Probe<>(demand);
    Flux.from(publisher).subscribe(probe);
    time.advanceTime();
    return probe;
  }

  void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }

  boolean isFree(String key) {
    return memory.inspect(key).blockOptional().isEmpty();
  }

  /** What a subscriber got. */
  final class Probe<T> extends BaseSubscriber<T> {
    final List<T> values = new CopyOnWriteArrayList<>();
    private final long demand;
    volatile Throwable error;
    volatile SignalType end;

    private Probe(long demand) {
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
    T value() {
      if (error != null || values.size() != 1) {
        throw new AssertionError("expected one value, got " + values, error);
      }
      return values.get(0);
    }

    /** The error; fails the test when there is none. */
    <E extends Throwable> E error(Class<E> type) {
      if (!type.isInstance(error)) {
        throw new AssertionError("expected " + type.getSimpleName() + ", got " + values, error);
      }
      return type.cast(error);
    }

    void cancelNow() {
      cancel();
      time.advanceTime();
    }
  }
}
