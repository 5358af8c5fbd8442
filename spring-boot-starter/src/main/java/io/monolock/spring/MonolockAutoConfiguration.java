// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.LockObserver;
import io.monolock.ReactiveLocker;
import io.monolock.spring.redis.RedisStoreConfiguration;
import io.monolock.store.LockStore;
import java.util.List;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * A {@link ReactiveLocker} on the Redis of the application, unless it has a locker of its own.
 *
 * <p>The locks are kept where the {@link LockStore} bean says; if there is none, in the Redis of
 * {@code monolock.redis.url}, or else in that of {@code spring.data.redis}. The properties {@code
 * monolock.*} are the locker's defaults, all {@link LockObserver} beans observe its locks, and
 * {@link LockerBuilderCustomizer} beans may change anything else.
 *
 * <p>All lockers of the context, those of the application itself, too, are closed after the web
 * server has stopped.
 */
@AutoConfiguration(
    afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@EnableConfigurationProperties(MonolockProperties.class)
@Import(RedisStoreConfiguration.class)
public final class MonolockAutoConfiguration {

  /** Created by Spring. */
  MonolockAutoConfiguration() {}

  @Bean
  static TimesHaveUnits monolockTimesHaveUnits() {
    return new TimesHaveUnits();
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(LockStore.class)
  ReactiveLocker monolockLocker(
      LockStore store,
      MonolockProperties properties,
      Environment environment,
      ObjectProvider<LockObserver> observers,
      ObjectProvider<LockerBuilderCustomizer> customizers) {
    MonolockProperties.checkNames(environment);
    ReactiveLocker.Builder builder = ReactiveLocker.builder(store);
    properties.applyTo(builder);
    List<LockObserver> all = observers.orderedStream().toList();
    if (!all.isEmpty()) {
      builder.observer(all.size() == 1 ? all.get(0) : new ObserversAsOne(all));
    }
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder.build();
  }

  @Bean
  @ConditionalOnBean(ReactiveLocker.class)
  LockerLifecycle monolockLifecycle(ListableBeanFactory beans) {
    return new LockerLifecycle(beans.getBeansOfType(ReactiveLocker.class).values());
  }
}
