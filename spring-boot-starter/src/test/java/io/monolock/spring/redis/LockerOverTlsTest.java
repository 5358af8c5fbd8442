// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.test.Certificates;
import io.monolock.test.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.test.StepVerifier;

/** Locks over TLS, to a server whose certificate only an SSL bundle knows. */
class LockerOverTlsTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static RedisServer server;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  MonolockAutoConfiguration.class,
                  SslAutoConfiguration.class,
                  DataRedisAutoConfiguration.class))
          .withPropertyValues(
              "spring.ssl.bundle.pem.redis.truststore.certificate=file:"
                  + Certificates.ofServers().authority());

  @BeforeAll
  static void startServer() {
    server = RedisServer.builder().tls().start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  private void locksWith(String key, String... properties) {
    runner
        .withPropertyValues(properties)
        .run(
            context -> {
              context.getBean(ReactiveLocker.class).acquire(key, LIMIT).block(LIMIT);
              assertThat(server.commandAsLong("EXISTS", key)).isEqualTo(1);
            });
  }

  @Test
  void theBundleOfSpringDataIsThatOfLocks() {
    locksWith(
        "of:spring:data",
        "spring.data.redis.host=127.0.0.1",
        "spring.data.redis.port=" + server.port(),
        "spring.data.redis.ssl.bundle=redis");
  }

  @Test
  void theBundleOfConnectionDetailsIsThatOfLocks() {
    locksWith(
        "of:details",
        "spring.data.redis.client-type=jedis",
        "spring.data.redis.host=127.0.0.1",
        "spring.data.redis.port=" + server.port(),
        "spring.data.redis.ssl.bundle=redis");
  }

  @Test
  void locksMayHaveABundleOfTheirOwn() {
    locksWith(
        "of:its:own",
        "monolock.redis.url=redis://127.0.0.1:" + server.port(),
        "monolock.redis.ssl.bundle=redis");
  }

  @Test
  void aServerWithAnUntrustedCertificateGetsNoLocks() {
    runner
        .withPropertyValues(
            "monolock.redis.url=rediss://127.0.0.1:" + server.port(), "monolock.wait-at-most=0s")
        .run(
            context ->
                StepVerifier.create(
                        context.getBean(ReactiveLocker.class).acquire("untrusted", LIMIT))
                    .expectError(LockStoreException.class)
                    .verify(LIMIT));
  }
}
