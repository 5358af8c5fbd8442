// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.monolock.micrometer.LockObservationDocumentation.HighCardinality;
import io.monolock.micrometer.LockObservationDocumentation.LowCardinality;

/**
 * Names and key values of the observations of locks. To change them, implement this interface,
 * override what is to be different, and pass it to {@link
 * MicrometerLockObserver.Builder#convention} or, as a {@code GlobalObservationConvention}, to the
 * registry.
 */
public interface LockObservationConvention extends ObservationConvention<LockObservationContext> {

  /**
   * The observation that this convention is for.
   *
   * @return the observation
   */
  LockObservationDocumentation observation();

  @Override
  default boolean supportsContext(Observation.Context context) {
    return context instanceof LockObservationContext lock && lock.observation() == observation();
  }

  @Override
  default String getName() {
    return observation().technicalName;
  }

  @Override
  default String getContextualName(LockObservationContext context) {
    return observation().spanName;
  }

  @Override
  default KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
    return KeyValues.of(
        LowCardinality.KEY_GROUP.withValue(context.keyGroup()),
        LowCardinality.OUTCOME.withValue(context.outcome()),
        LowCardinality.REASON.withValue(context.reason()));
  }

  @Override
  default KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
    return context.showsKeys()
        ? KeyValues.of(HighCardinality.KEYS.withValue(String.join(",", context.keys())))
        : KeyValues.empty();
  }
}
