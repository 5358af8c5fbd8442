// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisException;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisMastersTest {

  @Test
  void eachServerIsOnItsOwn() {
    try (RedisMasters masters = RedisMasters.start(3)) {
      assertThat(masters.nodes()).hasSize(3);
      for (ServerNode node : masters.nodes()) {
        assertThat(node.server().commandAsLong("INCR", "counter")).isEqualTo(1);
      }
      masters.node(1).server().kill();
      assertThat(masters.node(0).server().command("GET", "counter")).isEqualTo("1");
      assertThat(masters.node(2).server().command("GET", "counter")).isEqualTo("1");
    }
  }

  @Test
  void theAddressesAreThoseOfTheServers() {
    try (RedisMasters masters = RedisMasters.start(2)) {
      assertThat(masters.uris())
          .containsExactly(masters.node(0).server().uri(), masters.node(1).server().uri());
    }
  }

  @Test
  void serversWithoutProxiesHaveNone() {
    try (RedisMasters masters = RedisMasters.start(1)) {
      assertThatThrownBy(() -> masters.node(0).proxy())
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(masters.node(0) + " must be behind a proxy, was not");
    }
  }

  @Test
  void clientsOfServersBehindProxiesSeeTheProxies() throws Exception {
    try (RedisMasters masters = RedisMasters.startBehindProxies(2)) {
      ServerNode cut = masters.node(0);
      assertThat(masters.uris()).containsExactly(cut.proxy().uri(), masters.node(1).proxy().uri());
      cut.proxy().refuse();
      cut.proxy().cut();
      assertThatThrownBy(() -> new PlainClient(cut.port())).hasMessageContaining("refused");
      try (PlainClient client = new PlainClient(masters.node(1).port())) {
        assertThat(client.ask("PING")).isEqualTo("+PONG");
      }
    }
  }

  @Test
  void theServersHaveTheSettingsOfTheBuilder() {
    try (RedisMasters masters =
        RedisMasters.start(2, RedisServer.builder().version("6.2").config("maxmemory", "5mb"))) {
      for (ServerNode node : masters.nodes()) {
        assertThat(node.server().version()).startsWith("6.2.");
        assertThat(node.server().command("CONFIG", "GET", "maxmemory"))
            .isEqualTo(List.of("maxmemory", "5242880"));
      }
    }
  }

  @Test
  void closeEndsAll() {
    RedisMasters masters = RedisMasters.startBehindProxies(2);
    masters.close();
    masters.close();
    for (ServerNode node : masters.nodes()) {
      assertThat(node.server().isRunning()).isFalse();
      assertThat(Ports.isFree(node.port())).isTrue();
      assertThat(node.server().logFile().getParent()).doesNotExist();
    }
  }

  @Test
  void noServersIsRefused() {
    assertThatThrownBy(() -> RedisMasters.start(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("count must be 1 or more, was 0");
  }

  @Test
  void aServerThatDoesNotStartIsReported() {
    assertThatThrownBy(
            () -> RedisMasters.start(2, RedisServer.builder().config("no-such-setting", "1")))
        .isInstanceOf(IllegalStateException.class)
        .isNotInstanceOf(RedisException.class)
        .hasMessageContaining("no-such-setting");
  }
}
