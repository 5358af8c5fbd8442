// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.actuate;

import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.store.LockStore;
import java.time.Duration;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.health.autoconfigure.contributor.CompositeReactiveHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.ReactiveHealthContributor;
import org.springframework.boot.health.contributor.ReactiveHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Shows the health of the {@link LockStore} beans as the component {@code monolock}; switched off
 * with {@code management.health.monolock.enabled=false}.
 */
@AutoConfiguration(after = MonolockAutoConfiguration.class)
@ConditionalOnClass({ReactiveHealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(LockStore.class)
@ConditionalOnEnabledHealthIndicator("monolock")
public final class HealthAutoConfiguration
    extends CompositeReactiveHealthContributorConfiguration<StoreHealthIndicator, LockStore> {

  /** Created by Spring. */
  HealthAutoConfiguration(Environment environment) {
    super(store -> new StoreHealthIndicator(store, limit(environment)));
  }

  /** The same time-out as that of the locker for one call. */
  private static Duration limit(Environment environment) {
    return Binder.get(environment)
        .bind("monolock.command-timeout", Duration.class)
        .orElse(Duration.ofSeconds(2));
  }

  @Bean
  @ConditionalOnMissingBean(name = {"monolockHealthIndicator", "monolockHealthContributor"})
  ReactiveHealthContributor monolockHealthContributor(ConfigurableListableBeanFactory beans) {
    return createContributor(beans, LockStore.class);
  }
}
