// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An observation from its start to its only end. */
final class RunningObservation {

  /** Of a registry that observes nothing. */
  static final RunningObservation NONE =
      new RunningObservation(
          Observation.NOOP,
          new LockObservationContext(
              LockObservationDocumentation.ACQUIRING, Set.of(), KeyValue.NONE_VALUE, false));

  private final Observation observation;
  private final LockObservationContext context;

  RunningObservation(Observation observation, LockObservationContext context) {
    this.observation = observation;
    this.context = context;
  }

  void event(LockObservationDocumentation.Event event) {
    observation.event(event);
  }

  void end(Enum<?> outcome, @Nullable Enum<?> reason, @Nullable Throwable error) {
    context.ended(
        TagValues.of(outcome), reason == null ? KeyValue.NONE_VALUE : TagValues.of(reason));
    if (error != null) {
      observation.error(error);
    }
    observation.stop();
  }
}
