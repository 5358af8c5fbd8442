// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The Redis of {@code monolock.redis.url}, which takes neither Spring Data nor its properties. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty("monolock.redis.url")
@EnableConfigurationProperties(LockRedisProperties.class)
class OwnRedisConfiguration {

  @Bean(destroyMethod = "shutdown")
  LockRedisClient monolockRedisClient(
      LockRedisProperties properties, ObjectProvider<SslBundles> bundles, Environment environment) {
    return new LockRedisClient(
        properties.access(bundles), RedisStoreConfiguration.keyPrefix(environment));
  }
}
