// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class RedisSentinelsTest {

  private static RedisSentinels sentinels;

  @BeforeAll
  static void start() {
    long start = System.nanoTime();
    sentinels = RedisSentinels.start();
    System.out.printf("Sentinels are ready after %d ms%n", (System.nanoTime() - start) / 1_000_000);
  }

  @AfterAll
  static void close() {
    sentinels.close();
  }

  @BeforeEach
  void reset() {
    sentinels.reset();
  }

  @Test
  void sentinelsKnowTheMasterAndItsReplicas() {
    ServerNode master = sentinels.master();
    assertThat(sentinels.nodes()).hasSize(3).contains(master);
    assertThat(sentinels.replicas()).hasSize(2).doesNotContain(master);
    assertThat(sentinels.uris()).hasSize(3).contains(master.uri());
    for (ServerNode sentinel : sentinels.sentinels()) {
      assertThat(
              sentinel
                  .server()
                  .command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinels.masterName()))
          .isEqualTo(List.of("127.0.0.1", "" + master.port()));
    }
  }

  @Test
  void theUriNamesTheSentinelsAndTheMaster() {
    List<ServerNode> nodes = sentinels.sentinels();
    assertThat(sentinels.uri())
        .isEqualTo(
            "redis-sentinel://127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d#monolock",
            nodes.get(0).port(), nodes.get(1).port(), nodes.get(2).port());
  }

  @Test
  void replicasFollowTheMaster() {
    sentinels.master().server().command("SET", "key", "value");
    for (ServerNode replica : sentinels.replicas()) {
      assertThat(sentinels.master().server().commandAsLong("WAIT", "2", "5000")).isEqualTo(2);
      assertThat(replica.server().command("GET", "key")).isEqualTo("value");
      assertThatThrownBy(() -> replica.server().command("SET", "key", "other"))
          .hasMessageStartingWith("READONLY");
    }
  }

  @Test
  @Tag("thorough")
  void aReplicaIsPromotedWhenTheMasterIsKilledWhichComesBackAsAReplica() {
    ServerNode former = sentinels.killMaster();
    assertThat(former.server().isRunning()).isFalse();
    assertThat(sentinels.master()).isSameAs(former);
    sentinels.awaitSettled();
    ServerNode master = sentinels.master();
    assertThat(master).isNotSameAs(former);
    assertThat(master.server().command("SET", "key", "value")).isEqualTo("OK");
    sentinels.restart(former);
    assertThat(sentinels.master()).isSameAs(master);
    assertThat(former.server().command("GET", "key")).isEqualTo("value");
  }

  @Test
  void aForcedFailOverKeepsAllRunning() {
    ServerNode former = sentinels.master();
    former.server().command("SET", "key", "value");
    assertThat(former.server().commandAsLong("WAIT", "2", "5000")).isEqualTo(2);
    long pid = former.server().pid();
    sentinels.failOver();
    assertThat(sentinels.master()).isNotSameAs(former);
    assertThat(sentinels.master().server().command("GET", "key")).isEqualTo("value");
    assertThat(former.server().pid()).isEqualTo(pid);
    assertThatThrownBy(() -> former.server().command("SET", "key", "other"))
        .hasMessageStartingWith("READONLY");
  }

  @Test
  void aReplicaThatComesBackStillFollows() {
    ServerNode replica = sentinels.replicas().get(0);
    replica.server().kill();
    sentinels.awaitSettled();
    replica.server().restart();
    assertThatThrownBy(() -> replica.server().command("SET", "key", "value"))
        .hasMessageMatching("(READONLY|MASTERDOWN).*");
    sentinels.awaitSettled();
  }

  @Test
  void aSentinelThatComesBackKnowsTheMaster() {
    ServerNode sentinel = sentinels.sentinels().get(0);
    sentinel.server().kill();
    sentinels.failOver();
    sentinels.restart(sentinel);
    assertThat(
            sentinel
                .server()
                .command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", sentinels.masterName()))
        .isEqualTo(List.of("127.0.0.1", "" + sentinels.master().port()));
  }

  @Test
  @Tag("thorough")
  void oneSentinelAlonePromotesNoReplica() {
    sentinels.sentinels().get(0).server().pause();
    sentinels.sentinels().get(1).server().kill();
    ServerNode master = sentinels.nodes().get(0);
    assertThatThrownBy(() -> sentinels.master())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Two sentinels must agree on a master, say ");
    sentinels.nodes().forEach(node -> node.server().pause());
    assertThatThrownBy(() -> sentinels.awaitSettled(Duration.ofSeconds(2)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageMatching(
            "The servers and their sentinels must be settled within PT2S, but the master .* does"
                + " not run.*");
    assertThat(master.server().isRunning()).isTrue();
  }

  @Test
  @Tag("thorough")
  void clientsAndSentinelsOfServersBehindProxiesSeeOnlyTheProxies() {
    try (RedisSentinels hidden =
        RedisSentinels.startBehindProxies(RedisServer.builder().config("requirepass", "secret"))) {
      ServerNode former = hidden.master();
      assertThat(hidden.uri()).contains(":" + hidden.sentinels().get(0).proxy().port());
      assertThat(hidden.uris().get(0)).isEqualTo(hidden.nodes().get(0).proxy().uri());
      former.proxy().refuse();
      former.proxy().cut();
      hidden.awaitNewMaster(former);
      ServerNode master = hidden.master();
      assertThat(
              hidden
                  .sentinels()
                  .get(0)
                  .server()
                  .command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", hidden.masterName()))
          .isEqualTo(List.of("127.0.0.1", "" + master.proxy().port()));
      assertThat(former.server().command("SET", "key", "value")).isEqualTo("OK");
      former.proxy().accept();
      hidden.awaitSettled();
      assertThatThrownBy(() -> former.server().command("SET", "key", "value"))
          .hasMessageStartingWith("READONLY");
    }
  }

  @Test
  void closeEndsAll() {
    RedisSentinels closed = RedisSentinels.start(RedisServer.builder().version("6.2"));
    closed.close();
    closed.close();
    assertThat(closed.servers()).hasSize(6);
    for (RedisServer server : closed.servers()) {
      assertThat(server.version()).startsWith("6.2.");
      assertThat(server.isRunning()).isFalse();
      assertThat(server.logFile().getParent()).doesNotExist();
    }
  }
}
