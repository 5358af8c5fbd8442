// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.monolock.ReactiveLocker;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.LettuceClientConfigurationBuilderCustomizer;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Which Redis server the locks are kept in. */
@ExtendWith(RedisExtension.class)
class RedisStoreConfigurationTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final ApplicationContextRunner withoutSpringData =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(MonolockAutoConfiguration.class, SslAutoConfiguration.class));
  private final ApplicationContextRunner withSpringData =
      withoutSpringData.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class));

  private static void locksIn(RedisServer server, AssertableApplicationContext context) {
    assertThat(context).hasNotFailed();
    ReactiveLocker locker = context.getBean(ReactiveLocker.class);
    locker.acquire("order:42", LIMIT).block(LIMIT);
    assertThat(server.commandAsLong("EXISTS", "order:42")).isEqualTo(1);
  }

  private static RedisAccess access(AssertableApplicationContext context) {
    assertThat(context).hasNotFailed();
    return context.getBean(LockRedisClient.class).access();
  }

  @Test
  void locksAreInTheRedisOfSpringData(RedisServer server) {
    withSpringData
        .withPropertyValues(
            "spring.data.redis.host=" + server.host(), "spring.data.redis.port=" + server.port())
        .run(context -> locksIn(server, context));
  }

  @Test
  void keysHaveThePrefixOfTheProperty(RedisServer server) {
    withoutSpringData
        .withPropertyValues("monolock.redis.url=" + server.uri(), "monolock.keyPrefix=lock:")
        .run(
            context -> {
              context.getBean(ReactiveLocker.class).acquire("order:42", LIMIT).block(LIMIT);
              assertThat(server.commandAsLong("EXISTS", "lock:order:42")).isEqualTo(1);
            });
  }

  @Test
  void connectionsAreOpenedBeforeTheFirstCallerComes() {
    try (RedisServer server = RedisServer.start()) {
      withoutSpringData
          .withPropertyValues(
              "monolock.redis.url=" + server.uri(), "monolock.redis.client-name=warm")
          .run(
              context ->
                  await()
                      .atMost(LIMIT)
                      .until(() -> server.commandAsString("CLIENT", "LIST").contains("name=warm")));
    }
  }

  @Test
  @ExtendWith(OutputCaptureExtension.class)
  void anApplicationStartsWithoutRedisAndSaysSoOnce(CapturedOutput output) {
    withoutSpringData
        .withPropertyValues("monolock.redis.url=redis://127.0.0.1:1")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              await().atMost(LIMIT).until(() -> output.getAll().contains("cannot be reached yet"));
            });
    assertThat(output.getAll().lines())
        .filteredOn(line -> line.contains("WARN") && line.contains("LockRedisClient"))
        .hasSize(1);
  }

  @Test
  void locksAreInTheRedisOfAServiceConnection(RedisServer server) {
    DataRedisConnectionDetails details =
        new DataRedisConnectionDetails() {
          @Override
          public Standalone getStandalone() {
            return Standalone.of(server.host(), server.port());
          }
        };
    withSpringData
        .withBean(DataRedisConnectionDetails.class, () -> details)
        .run(context -> locksIn(server, context));
  }

  @Test
  void locksAreInTheRedisOfTheConnectionFactoryOfTheApplication(RedisServer server) {
    withSpringData
        .withPropertyValues("spring.data.redis.port=1")
        .withBean(
            RedisConnectionFactory.class,
            () -> new LettuceConnectionFactory(server.host(), server.port()))
        .run(context -> locksIn(server, context));
  }

  @Test
  void ofSeveralConnectionFactoriesLocksAreInTheRedisOfThePrimaryOne(RedisServer server) {
    withSpringData
        .withPropertyValues("spring.data.redis.port=1")
        .withBean("cache", RedisConnectionFactory.class, () -> new LettuceConnectionFactory())
        .withBean(
            "orders",
            RedisConnectionFactory.class,
            () -> new LettuceConnectionFactory(server.host(), server.port()),
            definition -> definition.setPrimary(true))
        .run(context -> locksIn(server, context));
  }

  @Test
  void severalConnectionFactoriesOfWhichNoneIsPrimaryFailTheStartWithTheirNames() {
    new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(MonolockAutoConfiguration.class, SslAutoConfiguration.class))
        .withBean(DataRedisConnectionDetails.class, () -> new DataRedisConnectionDetails() {})
        .withBean("cache", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
        .withBean("orders", LettuceConnectionFactory.class, LettuceConnectionFactory::new)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .isInstanceOf(NoUniqueBeanDefinitionException.class)
                    .hasMessageContainingAll("cache", "orders"));
  }

  @Test
  void locksAreInTheRedisOfTheConnectionDetailsIfLettuceIsNotTheApplicationsClient(
      RedisServer server) {
    withSpringData
        .withPropertyValues(
            "spring.data.redis.client-type=jedis",
            "spring.data.redis.host=" + server.host(),
            "spring.data.redis.port=" + server.port())
        .run(
            context -> {
              assertThat(context).doesNotHaveBean(LettuceConnectionFactory.class);
              locksIn(server, context);
            });
  }

  @Test
  void locksAreInTheirOwnRedisIfOneIsNamed(RedisServer server) {
    withSpringData
        .withPropertyValues("spring.data.redis.port=1", "monolock.redis.url=" + server.uri())
        .run(context -> locksIn(server, context));
  }

  @Test
  void locksNeedNoSpringDataIfTheirRedisIsNamed(RedisServer server) {
    withoutSpringData
        .withClassLoader(
            new FilteredClassLoader("org.springframework.data", "org.springframework.boot.data"))
        .withPropertyValues("monolock.redis.url=" + server.uri())
        .run(context -> locksIn(server, context));
  }

  @Test
  void settingsOfSpringDataAreThoseOfLocks() {
    withSpringData
        .withPropertyValues(
            "spring.data.redis.url=rediss://alice:secret@redis.example:6380/3",
            "spring.data.redis.client-name=shop",
            "spring.data.redis.timeout=7s",
            "spring.data.redis.connect-timeout=3s")
        .run(
            context -> {
              RedisAccess access = access(context);
              RedisURI uri = access.uris().get(0);
              assertThat(uri.getHost()).isEqualTo("redis.example");
              assertThat(uri.getPort()).isEqualTo(6380);
              assertThat(uri.getDatabase()).isEqualTo(3);
              assertThat(uri.isSsl()).isTrue();
              assertThat(uri.getClientName()).isEqualTo("shop");
              assertThat(uri.getTimeout()).isEqualTo(Duration.ofSeconds(7));
              assertCredentials(uri, "alice", "secret");
              assertThat(access.options().getSocketOptions().getConnectTimeout())
                  .isEqualTo(Duration.ofSeconds(3));
              assertThat(access.resources()).isSameAs(context.getBean(ClientResources.class));
            });
  }

  @Test
  void whatCustomizesTheClientOfSpringDataCustomizesThatOfLocks() {
    withSpringData
        .withBean(
            LettuceClientConfigurationBuilderCustomizer.class,
            () -> builder -> builder.useSsl().disablePeerVerification())
        .run(
            context -> {
              assertThat(access(context).uris().get(0).isSsl()).isTrue();
              assertThat(access(context).uris().get(0).isVerifyPeer()).isFalse();
            });
  }

  @Test
  void settingsOfConnectionDetailsAreThoseOfLocks() {
    SslBundle bundle = SslBundle.systemDefault();
    DataRedisConnectionDetails details =
        new DataRedisConnectionDetails() {
          @Override
          public String getUsername() {
            return "alice";
          }

          @Override
          public String getPassword() {
            return "secret";
          }

          @Override
          public SslBundle getSslBundle() {
            return bundle;
          }

          @Override
          public Standalone getStandalone() {
            return Standalone.of("redis.example", 6380, 3);
          }
        };
    RedisAccess access = ConnectionDetails.access(details, null);
    assertThat(access.uris().get(0).getHost()).isEqualTo("redis.example");
    assertThat(access.uris().get(0).getPort()).isEqualTo(6380);
    assertThat(access.uris().get(0).getDatabase()).isEqualTo(3);
    assertThat(access.uris().get(0).isSsl()).isTrue();
    assertCredentials(access.uris().get(0), "alice", "secret");
  }

  @Test
  void settingsOfOurOwnReplaceThoseOfTheUrl() {
    withoutSpringData
        .withPropertyValues(
            "monolock.redis.url=redis://bob:wrong@redis.example:6380/3",
            "monolock.redis.username=alice",
            "monolock.redis.password=secret",
            "monolock.redis.database=5",
            "monolock.redis.client-name=locks",
            "monolock.redis.connect-timeout=4s",
            "monolock.redis.ssl.enabled=true")
        .run(
            context -> {
              RedisAccess access = access(context);
              RedisURI uri = access.uris().get(0);
              assertThat(uri.getHost()).isEqualTo("redis.example");
              assertThat(uri.getPort()).isEqualTo(6380);
              assertThat(uri.getDatabase()).isEqualTo(5);
              assertThat(uri.isSsl()).isTrue();
              assertThat(uri.getClientName()).isEqualTo("locks");
              assertThat(uri.getTimeout()).isEqualTo(Duration.ofSeconds(4));
              assertThat(access.options().getSocketOptions().getConnectTimeout())
                  .isEqualTo(Duration.ofSeconds(4));
              assertCredentials(uri, "alice", "secret");
            });
  }

  @Test
  void aPasswordOfOurOwnReplacesUserAndPasswordOfTheUrl() {
    withoutSpringData
        .withPropertyValues(
            "monolock.redis.url=redis://bob:wrong@redis.example", "monolock.redis.password=secret")
        .run(context -> assertCredentials(access(context).uris().get(0), null, "secret"));
  }

  private static void assertCredentials(RedisURI uri, String username, String password) {
    var credentials = uri.getCredentialsProvider().resolveCredentials().block(LIMIT);
    assertThat(credentials.getUsername()).isEqualTo(username);
    assertThat(new String(credentials.getPassword())).isEqualTo(password);
  }

  @Test
  void anUnknownSslBundleFailsTheStart() {
    withoutSpringData
        .withPropertyValues(
            "monolock.redis.url=redis://redis.example", "monolock.redis.ssl.bundle=nowhere")
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("nowhere"));
  }

  @Test
  void anInvalidUrlIsReportedWithoutItsPassword() {
    withoutSpringData
        .withPropertyValues("monolock.redis.url=redis:/alice:secret@redis.example")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("monolock.redis.url must be like redis://")
                    .hasMessageNotContaining("secret"));
  }

  @Test
  void aUserWithoutAPasswordFailsTheStart() {
    withoutSpringData
        .withPropertyValues(
            "monolock.redis.url=redis://redis.example", "monolock.redis.username=alice")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("monolock.redis.password"));
  }

  @Test
  void aUnixSocketFailsTheStartAndSaysWhatToDo() {
    withSpringData
        .withBean(
            RedisConnectionFactory.class,
            () -> new LettuceConnectionFactory(new RedisSocketConfiguration("/redis.sock")))
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith(
                        "Locks need Redis servers that are reached by host and port, but")
                    .hasMessageContaining("monolock.redis.url")
                    .hasMessageContaining("LockStore bean"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "monolock.redis.connect-timeout=0s | monolock.redis.connect-timeout must be longer than",
        "monolock.redis.database=-1 | monolock.redis.database must be zero or more, was -1",
        "monolock.key-prefix={shop} | monolock.key-prefix: prefix must have no brace"
      })
  void aPropertyThatBreaksARuleFailsTheStartAndIsNamed(String property, String message) {
    withoutSpringData
        .withPropertyValues("monolock.redis.url=redis://redis.example", property)
        .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining(message));
  }
}
