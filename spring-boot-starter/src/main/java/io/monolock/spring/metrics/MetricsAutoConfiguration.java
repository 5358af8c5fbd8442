// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.monolock.micrometer.MicrometerLockObserver;
import io.monolock.spring.MonolockAutoConfiguration;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/**
 * Shows locks in the meters of the application, and as observations if it has an {@link
 * ObservationRegistry}. A {@link MicrometerLockObserver} bean of the application replaces it.
 */
@AutoConfiguration(
    before = MonolockAutoConfiguration.class,
    afterName = {
      "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
      "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
    })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@ConditionalOnBooleanProperty(name = "monolock.metrics.enabled", matchIfMissing = true)
public final class MetricsAutoConfiguration {

  /** Created by Spring. */
  MetricsAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  MicrometerLockObserver monolockMetrics(
      MeterRegistry meters, ObjectProvider<ObservationRegistry> observations) {
    MicrometerLockObserver.Builder builder = MicrometerLockObserver.builder(meters);
    observations.ifUnique(builder::observations);
    return builder.build();
  }

  @Bean
  SkipCounter monolockSkipCounter(MeterRegistry meters) {
    return new SkipCounter(meters);
  }
}
