// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RedisServerTest {

  private RedisServer server;

  @BeforeEach
  void start() {
    server = RedisServer.start();
  }

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void answersInWellUnderFiveSeconds() {
    long start = System.nanoTime();
    try (RedisServer second = RedisServer.start()) {
      Duration time = Duration.ofNanos(System.nanoTime() - start);
      System.out.println("Redis " + second.version() + " answers after " + time.toMillis() + " ms");
      assertThat(time).isLessThan(Duration.ofSeconds(5));
    }
  }

  @Test
  void addressAndVersionAreThoseOfTheProcess() {
    assertThat(server.host()).isEqualTo("127.0.0.1");
    assertThat(server.uri()).isEqualTo("redis://127.0.0.1:" + server.port());
    assertThat((String) server.command("INFO", "server"))
        .contains("redis_version:" + server.version(), "process_id:" + server.pid());
  }

  @Test
  void repliesAreTextsIntegersListsAndNull() {
    assertThat(server.command("SET", "key", "wörd")).isEqualTo("OK");
    assertThat(server.command("GET", "key")).isEqualTo("wörd");
    assertThat(server.command("PTTL", "key")).isEqualTo(-1L);
    assertThat(server.command("GET", "nothing")).isNull();
    assertThat(server.command("MGET", "key", "nothing")).isEqualTo(Arrays.asList("wörd", null));
  }

  @Test
  void repliesCanBeListsInLists() {
    String script = "return {1, {}, {'two', {3}}, false, 'four'}";
    assertThat(server.command("EVAL", script, "0"))
        .isEqualTo(Arrays.asList(1L, List.of(), List.of("two", List.of(3L)), null, "four"));
  }

  @Test
  void aListCanBeEmptyOrNil() {
    assertThat(server.command("LRANGE", "nothing", "0", "-1")).isEqualTo(List.of());
    assertThat(server.command("BLPOP", "nothing", "0.01")).isNull();
  }

  @Test
  void integersAndTextsComeWithoutCasts() {
    assertThat(server.commandAsLong("INCR", "count")).isEqualTo(1);
    assertThat(server.commandAsString("GET", "count")).isEqualTo("1");
    assertThat(server.commandAsString("GET", "nothing")).isNull();
  }

  @Test
  void aReplyOfAnotherKindIsAnError() {
    assertThatThrownBy(() -> server.commandAsLong("GET", "nothing"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("GET nothing must be answered with an integer, was null");
    assertThatThrownBy(() -> server.commandAsString("DBSIZE"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("DBSIZE must be answered with a text or nil, was 0");
  }

  @Test
  void anErrorOfRedisIsThrownWithItsText() {
    assertThatThrownBy(() -> server.command("EVALSHA", "f".repeat(40), "0"))
        .isInstanceOf(RedisCommandExecutionException.class)
        .hasMessageStartingWith("NOSCRIPT No matching script");
  }

  @Test
  void aCommandWithoutWordsIsRefused() {
    assertThatThrownBy(() -> server.command()).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void debugCommandsAreAllowed() {
    assertThat(server.command("DEBUG", "SLEEP", "0")).isEqualTo("OK");
  }

  @Test
  void extraConfigurationReachesTheServer() {
    try (RedisServer small =
        RedisServer.builder()
            .config("maxmemory", "2mb")
            .config("notify-keyspace-events", "")
            .config("client-output-buffer-limit", "pubsub 1mb 1mb 1")
            .start()) {
      assertThat(small.command("CONFIG", "GET", "maxmemory"))
          .isEqualTo(List.of("maxmemory", "2097152"));
    }
  }

  @Test
  void wrongConfigurationFailsWithTheLog() {
    RedisServer.Builder wrong = RedisServer.builder().config("no-such-directive", "1");
    assertThatThrownBy(wrong::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ended before it answered")
        .hasMessageContaining("no-such-directive");
  }

  @Test
  void aBuilderCanStartSeveralServers() {
    RedisServer.Builder builder = RedisServer.builder();
    try (RedisServer first = builder.start();
        RedisServer second = builder.start()) {
      first.command("SET", "key", "first");
      assertThat(second.command("GET", "key")).isNull();
      assertThat(second.port()).isNotEqualTo(first.port());
    }
  }

  @Test
  void aGivenPortIsTaken() {
    int port = Ports.free();
    try (RedisServer fixed = RedisServer.builder().port(port).start()) {
      assertThat(fixed.port()).isEqualTo(port);
      assertThat(fixed.command("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aGivenPortThatIsInUseFailsWithTheLog() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      RedisServer.Builder builder = RedisServer.builder().port(other.getLocalPort());
      assertThatThrownBy(builder::start).hasMessageContaining("Failed listening on port");
    }
  }

  @Test
  void aPortOutOfRangeIsRefused() {
    assertThatThrownBy(() -> RedisServer.builder().port(65_536))
        .hasMessage("port must be between 0 and 65535, was 65536");
  }

  @Test
  void manyServersStartAtOnce() {
    List<CompletableFuture<RedisServer>> starts =
        IntStream.range(0, 12)
            .mapToObj(i -> CompletableFuture.supplyAsync(RedisServer::start))
            .toList();
    Set<Integer> ports =
        starts.stream()
            .map(CompletableFuture::join)
            .map(RedisServer::port)
            .collect(Collectors.toSet());
    assertThat(ports).hasSize(12);
    starts.forEach(start -> start.join().close());
  }

  @Test
  void stopEndsTheServerInAnOrderlyWay() {
    server.stop();
    assertThat(server.isRunning()).isFalse();
    assertThat(server.log()).contains("bye bye");
  }

  @Test
  void killEndsTheServerAtOnce() {
    server.kill();
    assertThat(server.isRunning()).isFalse();
    assertThat(server.log()).doesNotContain("bye bye");
  }

  @Test
  void stoppingOrKillingAgainDoesNothing() {
    server.stop();
    server.stop();
    server.kill();
    assertThat(server.isRunning()).isFalse();
  }

  @Test
  void aCommandToADeadServerFails() {
    server.kill();
    assertThatThrownBy(() -> server.command("PING")).isInstanceOf(RedisException.class);
  }

  @Test
  void aPausedServerAnswersAfterItIsResumed() {
    server.pause();
    CompletableFuture<Object> reply = CompletableFuture.supplyAsync(() -> server.command("PING"));
    await().during(Duration.ofMillis(200)).until(() -> !reply.isDone());
    assertThat(server.isRunning()).isTrue();
    server.resume();
    assertThat(reply).succeedsWithin(Duration.ofSeconds(5)).isEqualTo("PONG");
  }

  @Test
  void resumingAServerThatIsNotPausedDoesNothing() {
    server.resume();
    assertThat(server.command("PING")).isEqualTo("PONG");
  }

  @Test
  void aServerThatIsNotRunningCannotBePaused() {
    server.kill();
    assertThatThrownBy(server::pause).hasMessageContaining("is not running");
  }

  @Test
  void aPausedServerCanBeStopped() {
    server.pause();
    server.stop();
    assertThat(server.isRunning()).isFalse();
  }

  @Test
  void aPausedServerCanBeClosed() {
    server.pause();
    server.close();
    assertThat(server.isRunning()).isFalse();
  }

  @Test
  void aRestartKeepsThePortAndLosesTheData() {
    int port = server.port();
    long pid = server.pid();
    server.command("SET", "key", "value");
    server.restart();
    assertThat(server.port()).isEqualTo(port);
    assertThat(server.pid()).isNotEqualTo(pid);
    assertThat(server.command("GET", "key")).isNull();
  }

  @Test
  void aPersistentServerKeepsItsDataOverAKill() {
    try (RedisServer persistent = RedisServer.builder().persistent().start()) {
      persistent.command("SET", "key", "value");
      persistent.kill();
      persistent.restart();
      assertThat(persistent.command("GET", "key")).isEqualTo("value");
    }
  }

  @Test
  void anEmptyRestartLosesAlsoPersistentData() {
    try (RedisServer persistent = RedisServer.builder().persistent().start()) {
      int port = persistent.port();
      persistent.command("SET", "key", "value");
      persistent.restartEmpty();
      assertThat(persistent.port()).isEqualTo(port);
      assertThat(persistent.command("GET", "key")).isNull();
    }
  }

  @Test
  void aPausedServerCanBeRestarted() {
    server.pause();
    server.restart();
    assertThat(server.command("PING")).isEqualTo("PONG");
  }

  @Test
  void closeDeletesTheFilesAndIsIdempotent() {
    Path folder = server.logFile().getParent();
    assertThat(folder).isDirectory();
    server.close();
    server.close();
    assertThat(folder).doesNotExist();
    assertThat(server.log()).isEmpty();
  }

  @Test
  void aClosedServerCannotBeRestarted() {
    server.close();
    assertThatThrownBy(server::restart).hasMessageContaining("is closed");
    assertThatThrownBy(server::restartEmpty).hasMessageContaining("is closed");
  }

  @Test
  void aKeptLogOutlivesTheServer() throws IOException {
    Path kept = server.keepLog();
    try {
      server.close();
      assertThat(kept).content().contains("Ready to accept connections");
      assertThat(server.keepLog()).isEqualTo(kept);
    } finally {
      Files.delete(kept);
    }
  }

  @Test
  void aKeptLogGoesOnAfterARestart() throws IOException {
    Path kept = server.keepLog();
    try {
      server.restart();
      assertThat(Files.readString(kept)).containsSubsequence("bye bye", "Ready to accept");
    } finally {
      Files.delete(kept);
    }
  }

  @Test
  void theProcessIsGoneAfterClose() {
    Optional<ProcessHandle> process = ProcessHandle.of(server.pid());
    server.close();
    assertThat(process).get().matches(gone -> !gone.isAlive());
  }
}
