// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A registry that knows which observations are not stopped, and which were stopped twice. */
final class OpenObservations implements ObservationHandler<Observation.Context> {

  final ObservationRegistry registry = ObservationRegistry.create();
  final AtomicInteger started = new AtomicInteger();
  final AtomicInteger stoppedTwice = new AtomicInteger();

  /** Those of locks that are over. */
  final Queue<LockObservationContext> ended = new ConcurrentLinkedQueue<>();

  private final Set<Observation.Context> open =
      Collections.synchronizedSet(Collections.newSetFromMap(new IdentityHashMap<>()));

  OpenObservations() {
    registry.observationConfig().observationHandler(this);
  }

  int open() {
    return open.size();
  }

  @Override
  public boolean supportsContext(Observation.Context context) {
    return true;
  }

  @Override
  public void onStart(Observation.Context context) {
    started.incrementAndGet();
    open.add(context);
  }

  @Override
  public void onStop(Observation.Context context) {
    if (!open.remove(context)) {
      stoppedTwice.incrementAndGet();
    } else if (context instanceof LockObservationContext lock) {
      ended.add(lock);
    }
  }
}
