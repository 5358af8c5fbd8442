// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.LockObserver;
import io.monolock.ReactiveLocker;
import io.monolock.spring.redis.RedisStoreConfiguration;
import io.monolock.store.LockStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;

/**
 * A {@link ReactiveLocker} on the Redis of the application, {@code monolockLocker}, beside others
 * that it may have; a bean of this name replaces it.
 *
 * <p>The locks are kept where the {@link LockStore} bean says; if there is none, in the Redis of
 * {@code monolock.redis.url}, or else in that of {@code spring.data.redis}. The properties {@code
 * monolock.*} are the locker's defaults, all {@link LockObserver} beans observe its locks, and
 * {@link LockerBuilderCustomizer} beans may change anything else. A {@link ReactiveLocker.Builder}
 * bean, a new one for each that asks for it, has all of this, to make further lockers.
 *
 * <p>All lockers of the context, those of the application itself, too, are closed after the web
 * server has stopped, and the stores after them.
 */
@AutoConfiguration(
    afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@EnableConfigurationProperties(MonolockProperties.class)
@Import(RedisStoreConfiguration.class)
public final class MonolockAutoConfiguration {

  private final AtomicLong builders = new AtomicLong();

  /** Created by Spring. */
  MonolockAutoConfiguration() {}

  @Bean
  static TimesHaveUnits monolockTimesHaveUnits() {
    return new TimesHaveUnits();
  }

  /** Prototypes, as each builder makes one locker. A store that is not clear fails the start. */
  @Bean
  @Scope(ConfigurableBeanFactory.SCOPE_PROTOTYPE)
  @ConditionalOnBean(LockStore.class)
  ReactiveLocker.Builder monolockLockerBuilder(
      LockStore monolockStore,
      MonolockProperties properties,
      Environment environment,
      ObjectProvider<LockObserver> observers,
      ObjectProvider<LockerBuilderCustomizer> customizers) {
    MonolockProperties.checkNames(environment);
    ReactiveLocker.Builder builder = ReactiveLocker.builder(new SharedStore(monolockStore));
    properties.applyTo(builder);
    List<LockObserver> all = observers.orderedStream().toList();
    if (!all.isEmpty()) {
      builder.observer(new ObserversAsOne(all, builders.getAndIncrement()));
    }
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder;
  }

  @Bean
  @ConditionalOnMissingBean(name = "monolockLocker")
  @ConditionalOnBean(LockStore.class)
  ReactiveLocker monolockLocker(ReactiveLocker.Builder monolockLockerBuilder) {
    return monolockLockerBuilder.build();
  }

  @Bean
  LockerLifecycle monolockLifecycle(ListableBeanFactory beans) {
    return new LockerLifecycle(
        beans.getBeansOfType(ReactiveLocker.class).values(),
        beans.getBeansOfType(LockStore.class).values());
  }
}
