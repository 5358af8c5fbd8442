// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SignalType;
import reactor.test.scheduler.VirtualTimeScheduler;

/** A locker in virtual time over a store that a test scripts, with a recording observer. */
public final class VirtualLocker {

  public final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  public final InMemoryLockStore memory = InMemoryLockStore.create(time);
  public final ScriptedStore store = new ScriptedStore(memory);
  public final RecordingObserver observed = new RecordingObserver();
  public final ReactiveLocker locker;

  public VirtualLocker() {
    this(builder -> builder);
  }

  public VirtualLocker(UnaryOperator<ReactiveLocker.Builder> settings) {
    locker =
        settings
            .apply(ReactiveLocker.builder(store).timer(time).publishOn(time).observer(observed))
            .build();
  }

  /** Another locker over the same keys, as another process would be. */
  public ReactiveLocker another() {
    return ReactiveLocker.builder(memory).timer(time).publishOn(time).build();
  }

  /** Subscribes, runs what is due now, and records the signals. */
  public <T> SignalProbe<T> run(Publisher<T> publisher) {
    SignalProbe<T> probe = new SignalProbe<>();
    Flux.from(publisher).subscribe(probe);
    time.advanceTime();
    return probe;
  }

  public void pass(Duration duration) {
    time.advanceTimeBy(duration);
  }

  /** Subscribes, runs what is due now, and returns the one value. */
  public <T> T get(Publisher<T> publisher) {
    SignalProbe<T> probe = run(publisher);
    return probe.value();
  }

  /** Whether the key has no holder. */
  public boolean isFree(String key) {
    return memory.inspect(key).blockOptional().isEmpty();
  }

  /** How many sets of keys the locker keeps a line for. */
  int lines() {
    return ((StoreLocker) locker).locker.lines.size();
  }

  /** Whether nothing is scheduled within the next hour, which passes. */
  public boolean isIdle() {
    long before = time.getScheduledTaskCount();
    pass(Duration.ofHours(1));
    return time.getScheduledTaskCount() == before;
  }

  /** Records the signals of one subscription. */
  public static final class SignalProbe<T> extends BaseSubscriber<T> {
    public final List<T> values = new CopyOnWriteArrayList<>();
    public volatile Throwable error;
    public volatile SignalType end;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      requestUnbounded();
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
      if (error != null) {
        throw new AssertionError("no value but an error", error);
      }
      if (values.size() != 1) {
        throw new AssertionError("expected one value, got " + values);
      }
      return values.get(0);
    }

    /** The error; fails the test when there is none. */
    public <E extends Throwable> E error(Class<E> type) {
      if (!type.isInstance(error)) {
        throw new AssertionError("expected " + type.getSimpleName() + ", got " + values, error);
      }
      return type.cast(error);
    }

    public boolean isPending() {
      return end == null && values.isEmpty();
    }
  }
}
