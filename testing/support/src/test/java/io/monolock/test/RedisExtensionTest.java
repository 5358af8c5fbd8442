// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisExtension.class)
class RedisExtensionTest {

  private static RedisServer ofClass;

  private final RedisServer ofConstructor;

  RedisExtensionTest(RedisServer server) {
    ofConstructor = server;
  }

  @BeforeAll
  static void rememberServer(RedisServer server) {
    ofClass = server;
  }

  @BeforeEach
  void prepare(RedisServer server) {
    assertThat(server.commandAsLong("DBSIZE")).isZero();
    server.command("SET", "prepared", "yes");
  }

  @AfterEach
  void serverIsStillThere(RedisServer server) {
    assertThat(server).isSameAs(ofClass);
  }

  @Test
  void allMembersShareOneServer(RedisServer server) {
    assertThat(server).isSameAs(ofClass).isSameAs(ofConstructor);
  }

  @Test
  void whatBeforeEachWroteIsThere(RedisServer server) {
    assertThat(server.command("GET", "prepared")).isEqualTo("yes");
  }

  @RepeatedTest(2)
  void eachTestStartsWithoutData(RedisServer server) {
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(1);
    server.command("SET", "left", "behind");
  }

  @RepeatedTest(2)
  void eachTestStartsWithoutScripts(RedisServer server) {
    String hash = "e0e1f9fabfc9d4800c877a703b823ac0578ff8db";
    assertThat(server.command("SCRIPT", "EXISTS", hash)).asString().isEqualTo("[0]");
    assertThat(server.command("SCRIPT", "LOAD", "return 1")).isEqualTo(hash);
  }

  @RepeatedTest(2)
  void eachTestStartsWithARunningServerOnTheSamePort(RedisServer server) {
    assertThat(server.isRunning()).isTrue();
    server.kill();
  }

  @RepeatedTest(2)
  void eachTestStartsWithAServerThatIsNotPaused(RedisServer server) {
    assertThat(server.command("PING")).isEqualTo("PONG");
    server.pause();
  }

  @RepeatedTest(2)
  void eachTestStartsWithAServerThatIsNotBusy(RedisServer server) throws IOException {
    server.command("CONFIG", "SET", "lua-time-limit", "1");
    try (Socket client = new Socket(server.host(), server.port())) {
      byte[] endless = "EVAL 'while true do end' 0\r\n".getBytes(StandardCharsets.US_ASCII);
      client.getOutputStream().write(endless);
      await()
          .untilAsserted(
              () ->
                  assertThatThrownBy(() -> server.command("PING")).hasMessageStartingWith("BUSY"));
    }
  }

  @Nested
  class InANestedClass {

    @Test
    void theServerIsTheSame(RedisServer server) {
      assertThat(server).isSameAs(ofClass);
    }

    @RepeatedTest(2)
    void eachTestStartsWithoutData(RedisServer server) {
      assertThat(server.commandAsLong("DBSIZE")).isEqualTo(1);
      server.command("SET", "left", "behind");
    }
  }

  @Nested
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class InANestedClassWithOneInstance {

    private final RedisServer own;

    InANestedClassWithOneInstance(RedisServer server) {
      own = server;
    }

    @Test
    void theServerIsTheSame() {
      assertThat(own).isSameAs(ofClass);
    }
  }
}
