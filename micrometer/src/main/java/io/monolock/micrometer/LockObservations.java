// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.observation.NullObservation;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Starts the observations of locks.
 *
 * <p>The parent is the observation in the Reactor Context of the lock's subscriber, and no other.
 * The current observation of the calling thread is a foreign one: an observer is called on a thread
 * that many locks share, and with automatic context propagation even with the thread-locals of an
 * earlier event. So it is hidden while an observation starts.
 */
final class LockObservations {

  private enum DefaultConvention implements LockObservationConvention {
    ACQUIRING(LockObservationDocumentation.ACQUIRING),
    HOLDING(LockObservationDocumentation.HOLDING);

    private final LockObservationDocumentation observation;

    DefaultConvention(LockObservationDocumentation observation) {
      this.observation = observation;
    }

    @Override
    public LockObservationDocumentation observation() {
      return observation;
    }

    static LockObservationConvention of(LockObservationDocumentation observation) {
      return observation == LockObservationDocumentation.ACQUIRING ? ACQUIRING : HOLDING;
    }
  }

  private final ObservationRegistry registry;
  private final Map<LockObservationDocumentation, LockObservationConvention> conventions;
  private final boolean showKeys;

  LockObservations(
      ObservationRegistry registry,
      Map<LockObservationDocumentation, LockObservationConvention> conventions,
      boolean showKeys) {
    this.registry = registry;
    this.conventions = new EnumMap<>(LockObservationDocumentation.class);
    this.conventions.putAll(conventions);
    this.showKeys = showKeys;
  }

  @Nullable Observation parent(ContextView context) {
    return context.getOrDefault(ObservationThreadLocalAccessor.KEY, null)
            instanceof Observation parent
        ? parent
        : null;
  }

  RunningObservation start(
      LockObservationDocumentation what,
      Set<String> keys,
      String keyGroup,
      @Nullable Observation parent) {
    if (registry.isNoop()) {
      return RunningObservation.NONE;
    }
    LockObservationContext context = new LockObservationContext(what, keys, keyGroup, showKeys);
    Observation observation =
        what.observation(
            conventions.get(what), DefaultConvention.of(what), () -> context, registry);
    start(observation.parentObservation(parent));
    return new RunningObservation(observation, context);
  }

  private void start(Observation observation) {
    if (registry.getCurrentObservationScope() == null) {
      observation.start();
      return;
    }
    Observation.Scope hidden = new NullObservation(registry).openScope();
    try {
      observation.start();
    } finally {
      hidden.close();
    }
  }
}
