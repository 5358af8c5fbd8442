// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Servers that run and refuse or delay commands. */
@ExtendWith(RedisExtension.class)
class RedisServerStatesTest {

  private final RedisServer server;

  RedisServerStatesTest(RedisServer server) {
    this.server = server;
  }

  private String errorOf(String... words) {
    try {
      server.command(words);
      return "";
    } catch (RedisException e) {
      return e.getMessage();
    }
  }

  @RepeatedTest(2)
  void eachTestStartsWithTheFirstSettings() {
    assertThat(server.command("CONFIG", "GET", "maxmemory")).isEqualTo(List.of("maxmemory", "0"));
    server.configure("maxmemory", "2");
    server.configure("maxmemory", "1");
    server.configure("maxmemory-policy", "noeviction");
    assertThat(errorOf("SET", "key", "value")).startsWith("OOM");
  }

  @Test
  void restoredSettingsAreTheFirstOnes() {
    server.configure("min-replicas-to-write", "1");
    server.configure("min-replicas-to-write", "2");
    assertThat(errorOf("SET", "key", "value")).startsWith("NOREPLICAS");
    server.restoreSettings();
    server.restoreSettings();
    assertThat(server.command("SET", "key", "value")).isEqualTo("OK");
  }

  @Test
  void aRestartForgetsWhatThereIsToRestore() {
    server.configure("maxmemory", "1");
    server.restart();
    server.command("CONFIG", "SET", "maxmemory", "5mb");
    server.restoreSettings();
    assertThat(server.command("CONFIG", "GET", "maxmemory"))
        .isEqualTo(List.of("maxmemory", "5242880"));
    server.command("CONFIG", "SET", "maxmemory", "0");
  }

  @Test
  void aSettingThatDoesNotExistIsRefused() {
    assertThatThrownBy(() -> server.configure("no-such", "1"))
        .hasMessage("directive must be a setting of Redis, was no-such");
  }

  @Test
  void commandsWorkWhateverThePasswordIs() throws Exception {
    server.configure("requirepass", "secret");
    server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    try (PlainClient client = new PlainClient(server.port())) {
      assertThat(client.ask("PING")).startsWith("-NOAUTH");
      assertThat(client.ask("AUTH secret")).isEqualTo("+OK");
    }
    server.stop();
    server.restart();
    server.command("ACL", "SETUSER", "default", "off");
    try (PlainClient client = new PlainClient(server.port())) {
      assertThat(client.ask("PING")).startsWith("-NOAUTH");
    }
    assertThat(server.command("ACL", "WHOAMI")).isEqualTo(ControlConnection.USER);
    server.restart();
  }

  @Test
  void aServerCanStartWithAPassword() {
    try (RedisServer closed = RedisServer.builder().config("requirepass", "secret").start()) {
      assertThat(closed.command("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void aBusyServerIsBusyUntilTheScriptIsEnded() {
    String threshold = server.command("CONFIG", "GET", "lua-time-limit").toString();
    try (BusyScript script = server.keepBusy()) {
      assertThat(errorOf("GET", "key")).startsWith("BUSY");
      script.end();
      assertThat(errorOf("GET", "key")).isEmpty();
    }
    assertThat(server.command("CONFIG", "GET", "lua-time-limit")).hasToString(threshold);
  }

  @Test
  void aServerIsBusyForATime() {
    Duration time = Duration.ofMillis(300);
    long start = System.nanoTime();
    try (BusyScript script = server.keepBusy(time)) {
      assertThat(errorOf("GET", "key")).startsWith("BUSY");
      await().until(() -> errorOf("GET", "key").isEmpty());
      assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(time.toNanos());
      assertThat(script).isNotNull();
    }
  }

  @Test
  void aBusyServerCanBeKilled() {
    try (BusyScript script = server.keepBusy()) {
      assertThat(script).isNotNull();
      server.kill();
    }
    assertThat(server.isRunning()).isFalse();
  }

  @Test
  void aLoadingServerAnswersLoadingForATimeAndThenHasItsData() {
    int port = server.port();
    server.command("SET", "key", "value");
    long start = System.nanoTime();
    server.restartLoading(Duration.ofMillis(300));
    assertThat(server.port()).isEqualTo(port);
    assertThat(errorOf("GET", "key")).startsWith("LOADING");
    await().until(() -> errorOf("GET", "key").isEmpty());
    assertThat(System.nanoTime() - start).isGreaterThan(Duration.ofMillis(300).toNanos());
    assertThat(server.command("GET", "key")).isEqualTo("value");
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(1);
    server.restart();
    assertThat(server.command("GET", "key")).isNull();
  }

  @Test
  void aServerThatIsStillLoadingCanBeRestarted() {
    server.restartLoading(Duration.ofSeconds(20));
    server.restart();
    assertThat(server.command("PING")).isEqualTo("PONG");
  }

  @RepeatedTest(2)
  void eachTestStartsWithAServerThatIsNotLoading() {
    assertThat(server.command("PING")).isEqualTo("PONG");
    server.restartLoading(Duration.ofSeconds(20));
  }

  @Test
  void aPersistentServerDoesNotLoadSlowly() {
    try (RedisServer persistent = RedisServer.builder().persistent().start()) {
      assertThatThrownBy(() -> persistent.restartLoading(Duration.ofMillis(100)))
          .hasMessageStartingWith("A persistent server");
    }
  }
}
