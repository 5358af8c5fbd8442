// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.ReactiveLocker;
import io.monolock.store.InVirtualTime;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;

/** A locker in virtual time over a store that a test scripts, with a recording observer. */
public final class VirtualLocker extends InVirtualTime {

  public final ScriptedStore store = new ScriptedStore(memory);
  public final RecordingObserver observed = new RecordingObserver();
  public final ReactiveLocker locker;

  public VirtualLocker() {
    this(builder -> builder);
  }

  public VirtualLocker(UnaryOperator<ReactiveLocker.Builder> settings) {
    locker = settings.apply(builder(store).observer(observed)).build();
  }

  /** Subscribes, runs what is due now, and returns the one value. */
  public <T> T get(Publisher<T> publisher) {
    SignalProbe<T> probe = run(publisher);
    return probe.value();
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
}
