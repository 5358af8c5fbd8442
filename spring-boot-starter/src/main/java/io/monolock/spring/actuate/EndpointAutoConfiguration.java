// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.actuate;

import io.monolock.ReactiveLocker;
import io.monolock.spring.MonolockAutoConfiguration;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/**
 * The actuator endpoint {@code locks}: what this instance holds and waits for. It is exposed over
 * HTTP as others are, with {@code management.endpoints.web.exposure.include}.
 */
@AutoConfiguration(after = MonolockAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(ReactiveLocker.class)
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
public final class EndpointAutoConfiguration {

  /** Created by Spring. */
  EndpointAutoConfiguration() {}

  @Bean
  @ConditionalOnMissingBean
  LocksEndpoint monolockLocksEndpoint(ListableBeanFactory beans) {
    return new LocksEndpoint(beans.getBeansOfType(ReactiveLocker.class));
  }
}
