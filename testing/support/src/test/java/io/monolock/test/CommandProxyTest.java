// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.TrackingArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisExtension.class)
class CommandProxyTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final RedisServer server;
  private final CountDownLatch goOn = new CountDownLatch(1);
  private CommandProxy proxy;
  private RedisClient client;

  CommandProxyTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    proxy = CommandProxy.before(server, () -> this::reply);
    client = RedisClient.create(proxy.uri());
  }

  @AfterEach
  void close() {
    goOn.countDown();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    proxy.close();
  }

  private Optional<String> reply(List<String> command) {
    if (command.equals(List.of("GET", "slow"))) {
      try {
        assertThat(goOn.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    return command.get(0).equals("TTL") ? Optional.of("-ERR not here") : Optional.empty();
  }

  @Test
  void commandsAreAnsweredInTheirOrderByTheServerOrTheProxy() {
    RedisAsyncCommands<String, String> commands = client.connect().async();
    String large = "x\r\n".repeat(100_000);

    CompletableFuture<String> set = commands.set("key", large).toCompletableFuture();
    CompletableFuture<Long> refused = commands.ttl("key").toCompletableFuture();
    CompletableFuture<String> get = commands.get("key").toCompletableFuture();

    assertThat(set).succeedsWithin(LIMIT).isEqualTo("OK");
    assertThat(refused).failsWithin(LIMIT).withThrowableThat().withMessageContaining("not here");
    assertThat(get).succeedsWithin(LIMIT).isEqualTo(large);
    assertThat(server.commandAsLong("STRLEN", "key")).isEqualTo(large.length());
  }

  @Test
  void aRuleThatBlocksHoldsUpItsConnectionOnly() {
    RedisAsyncCommands<String, String> held = client.connect().async();
    CompletableFuture<String> slow = held.get("slow").toCompletableFuture();
    CompletableFuture<String> behind = held.ping().toCompletableFuture();

    assertThat(client.connect().async().ping().toCompletableFuture())
        .succeedsWithin(LIMIT)
        .isEqualTo("PONG");
    assertThat(slow).isNotDone();
    assertThat(behind).isNotDone();

    goOn.countDown();
    assertThat(slow).succeedsWithin(LIMIT).isNull();
    assertThat(behind).succeedsWithin(LIMIT).isEqualTo("PONG");
  }

  @Test
  void pushMessagesPass() throws InterruptedException {
    LinkedBlockingQueue<String> types = new LinkedBlockingQueue<>();
    StatefulRedisConnection<String, String> connection = client.connect();
    connection.addListener(message -> types.add(message.getType()));
    connection.sync().clientTracking(TrackingArgs.Builder.enabled());
    connection.sync().get("key");

    server.command("SET", "key", "value");

    assertThat(types.poll(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("invalidate");
    assertThat(connection.async().ttl("key").toCompletableFuture()).failsWithin(LIMIT);
  }

  @Test
  void aClosedProxyIsGone() {
    client.connect();

    proxy.close();
    proxy.close();

    assertThatThrownBy(client::connect).isInstanceOf(RedisConnectionException.class);
  }
}
