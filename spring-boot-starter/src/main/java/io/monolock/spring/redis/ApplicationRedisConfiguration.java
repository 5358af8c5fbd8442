// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.resource.ClientResources;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis that the application has anyway.
 *
 * <p>It is known by the {@link LettuceConnectionFactory}, be it Spring Boot's or the application's
 * own, so that its customisations hold for locks, too; without one, as with Jedis, by Spring Boot's
 * {@link DataRedisConnectionDetails}. Of several factories one has to be primary, as everywhere in
 * Spring Boot: else the start fails, and names them.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({DataRedisConnectionDetails.class, LettuceConnectionFactory.class})
@ConditionalOnBean(DataRedisConnectionDetails.class)
@ConditionalOnMissingBean(LockRedisClient.class)
class ApplicationRedisConfiguration {

  @Bean(destroyMethod = "shutdown")
  LockRedisClient monolockRedisClient(
      ObjectProvider<LettuceConnectionFactory> factories,
      DataRedisConnectionDetails details,
      ObjectProvider<ClientResources> resources,
      Environment environment) {
    LettuceConnectionFactory factory = factories.getIfAvailable();
    return new LockRedisClient(
        factory != null && details.getMasterReplica() == null
            ? SpringDataRedis.access(factory)
            : ConnectionDetails.access(details, resources.getIfUnique()),
        RedisStoreConfiguration.keyPrefix(environment));
  }
}
