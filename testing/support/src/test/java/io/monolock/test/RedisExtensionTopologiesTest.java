// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;

/** Several servers that belong together, as parameters. */
@Tag("thorough")
class RedisExtensionTopologiesTest {

  @Nested
  @ExtendWith(RedisExtension.class)
  class WithAllOfThem {

    private final RedisCluster cluster;
    private final RedisSentinels sentinels;
    private final RedisMasters masters;

    WithAllOfThem(RedisCluster cluster, RedisSentinels sentinels, RedisMasters masters) {
      this.cluster = cluster;
      this.sentinels = sentinels;
      this.masters = masters;
    }

    @Test
    void allMembersShareThem(RedisCluster same, RedisSentinels equally, RedisMasters likewise) {
      assertThat(same).isSameAs(cluster);
      assertThat(equally).isSameAs(sentinels);
      assertThat(likewise).isSameAs(masters);
    }

    @Test
    void thereAreThreeMastersByDefault() {
      assertThat(masters.nodes()).hasSize(3);
    }

    @RepeatedTest(2)
    void eachTestStartsWithAnEmptyCluster() {
      RedisServer owner = cluster.ownerOf("key").server();
      assertThat(owner.command("GET", "key")).isNull();
      owner.command("SET", "key", "value");
      owner.configure("maxmemory", "1");
    }

    @RepeatedTest(2)
    void eachTestStartsWithAClusterOfWhichAllNodesRun() {
      assertThat(cluster.nodes()).allMatch(node -> node.server().isAwake());
      ServerNode owner = cluster.ownerOf("key");
      assertThat(cluster.replicasOf(owner)).hasSize(1);
      cluster.replicasOf(owner).get(0).server().pause();
      owner.server().kill();
    }

    @RepeatedTest(2)
    void eachTestStartsWithAnEmptyMasterAndItsReplicas() {
      assertThat(sentinels.nodes()).allMatch(node -> node.server().isAwake());
      RedisServer master = sentinels.master().server();
      assertThat(master.command("GET", "key")).isNull();
      master.command("SET", "key", "value");
      sentinels.replicas().get(0).server().kill();
      sentinels.sentinels().get(0).server().kill();
    }

    @RepeatedTest(2)
    void eachTestStartsWithEmptyMastersThatRun() {
      for (ServerNode node : masters.nodes()) {
        assertThat(node.server().command("GET", "key")).isNull();
        node.server().command("SET", "key", "value");
      }
      masters.node(0).server().kill();
      masters.node(1).server().pause();
    }
  }

  @RedisSetup(version = "6.2", behindProxies = true, masters = 2)
  interface OldServersBehindProxies {}

  @Nested
  class WithAnotherSetup {

    @Test
    void theServersAreOfThatKind() {
      EngineTestKit.engine("junit-jupiter")
          .selectors(selectClass(OfAnotherKind.class))
          .execute()
          .testEvents()
          .assertStatistics(statistics -> statistics.succeeded(3).failed(0));
    }
  }

  @ExtendWith(RedisExtension.class)
  static class OfAnotherKind implements OldServersBehindProxies {

    @Test
    void aSingleServer(RedisServer server) {
      assertThat(server.version()).startsWith("6.2.");
    }

    @RepeatedTest(2)
    void servers(RedisMasters masters) throws Exception {
      assertThat(masters.nodes()).hasSize(2);
      ServerNode node = masters.node(0);
      assertThat(node.server().version()).startsWith("6.2.");
      try (PlainClient client = new PlainClient(node.proxy().port())) {
        assertThat(client.ask("PING")).isEqualTo("+PONG");
      }
      node.proxy().refuse();
    }
  }

  private static RedisMasters failed;

  @Test
  void aFailedTestShowsAndKeepsAllLogs() throws Exception {
    PrintStream original = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      EngineTestKit.engine("junit-jupiter").selectors(selectClass(Failing.class)).execute();
    } finally {
      System.setErr(original);
    }
    for (RedisServer server : failed.servers()) {
      assertThat(server.isRunning()).isFalse();
      assertThat(printed.toString(StandardCharsets.UTF_8))
          .contains("port " + server.port(), server.logFile().toString());
      assertThat(server.logFile()).content().contains("Ready to accept connections");
      Files.delete(server.logFile());
    }
  }

  @ExtendWith(RedisExtension.class)
  static class Failing {

    @Test
    void fails(RedisMasters masters) {
      failed = masters;
      fail("on purpose");
    }
  }
}
