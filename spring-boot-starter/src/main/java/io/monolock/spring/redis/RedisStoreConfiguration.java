// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.monolock.store.LockStore;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * A {@link LockStore} in Redis, unless the application has a store of its own: on the server of
 * {@code monolock.redis.url}, or else on that of {@code spring.data.redis}.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(LockStore.class)
@Import({OwnRedisConfiguration.class, ApplicationRedisConfiguration.class})
public final class RedisStoreConfiguration {

  /** The property that both kinds of access to Redis have in common. */
  static String keyPrefix(Environment environment) {
    return environment.getProperty("monolock.key-prefix", "");
  }

  /** Created by Spring. */
  RedisStoreConfiguration() {}

  @Bean
  @ConditionalOnBean(LockRedisClient.class)
  LockStore monolockStore(LockRedisClient client) {
    client.warmUp();
    return client.store();
  }
}
