// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import io.monolock.test.RedisServer;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A Redis of this program's own, unless {@code spring.data.redis.url} names another. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "spring.data.redis.url", matchIfMissing = true, havingValue = "none")
class EmbeddedRedis {

  @Bean(destroyMethod = "close")
  RedisServer redisServer() {
    return RedisServer.start();
  }

  @Bean
  DataRedisConnectionDetails redisConnectionDetails(RedisServer server) {
    return new DataRedisConnectionDetails() {
      @Override
      public Standalone getStandalone() {
        return Standalone.of(server.host(), server.port());
      }
    };
  }
}
