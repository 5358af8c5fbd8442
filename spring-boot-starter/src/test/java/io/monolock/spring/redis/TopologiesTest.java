// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.ReactiveLocker;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.store.LockStore;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisSentinels;
import io.monolock.test.RedisServer;
import io.monolock.test.ReplicaPair;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Sentinel and cluster settings of Spring give a store that is there. */
@ExtendWith(RedisExtension.class)
class TopologiesTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String LETTUCE = "lettuce";
  private static final String OTHERS = "jedis";

  private final ApplicationContextRunner spring =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  MonolockAutoConfiguration.class,
                  SslAutoConfiguration.class,
                  DataRedisAutoConfiguration.class));

  private static String addresses(Stream<ServerNode> nodes) {
    return nodes.map(node -> node.host() + ":" + node.port()).collect(Collectors.joining(","));
  }

  /** Whether the key of a lock is on that server while it is held. */
  private static void lockIsOn(RedisServer server, AssertableApplicationContext context) {
    assertThat(context).hasNotFailed();
    ReactiveLocker locker = context.getBean(ReactiveLocker.class);
    Lock lock = locker.acquire("order:42", LIMIT).block(LIMIT);
    assertThat(server.commandAsLong("EXISTS", "order:42")).isEqualTo(1);
    assertThat(lock.release().block(LIMIT)).isTrue();
  }

  private static String topology(AssertableApplicationContext context) {
    return context.getBean(LockStore.class).health().block(LIMIT).topology();
  }

  @ParameterizedTest
  @ValueSource(strings = {LETTUCE, OTHERS})
  void locksAreInTheClusterOfSpring(String client, RedisCluster cluster) {
    spring
        .withPropertyValues(
            "spring.data.redis.client-type=" + client,
            "spring.data.redis.cluster.nodes=" + addresses(cluster.nodes().stream()))
        .run(
            context -> {
              lockIsOn(cluster.ownerOf("order:42").server(), context);
              assertThat(topology(context)).isEqualTo("cluster");
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {LETTUCE, OTHERS})
  void locksAreInTheRedisThatTheSentinelsOfSpringName(String client, RedisSentinels sentinels) {
    spring
        .withPropertyValues(
            "spring.data.redis.client-type=" + client,
            "spring.data.redis.sentinel.master=" + sentinels.masterName(),
            "spring.data.redis.sentinel.nodes=" + addresses(sentinels.sentinels().stream()))
        .run(context -> lockIsOn(sentinels.master().server(), context));
  }

  @Test
  void locksAreInTheRedisThatTheSentinelsOfAUrlName(RedisSentinels sentinels) {
    spring
        .withPropertyValues("monolock.redis.url=" + sentinels.uri())
        .run(context -> lockIsOn(sentinels.master().server(), context));
  }

  @Test
  void locksAreInThePrimaryAmongTheServersOfSpring() {
    try (ReplicaPair pair = ReplicaPair.start()) {
      spring
          .withPropertyValues(
              "spring.data.redis.masterreplica.nodes="
                  + Stream.of(pair.replica(), pair.primary())
                      .map(server -> server.host() + ":" + server.port())
                      .collect(Collectors.joining(",")))
          .run(
              context -> {
                lockIsOn(pair.primary(), context);
                assertThat(topology(context)).isEqualTo("primary and replicas");
              });
    }
  }
}
