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

@Tag("thorough")
class RedisClusterTest {

  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    long start = System.nanoTime();
    cluster = RedisCluster.start();
    System.out.printf("A cluster is ready after %d ms%n", (System.nanoTime() - start) / 1_000_000);
  }

  @AfterAll
  static void close() {
    cluster.close();
  }

  @BeforeEach
  void reset() {
    cluster.reset();
  }

  private static ServerNode other(ServerNode master) {
    return cluster.masters().stream().filter(each -> each != master).findFirst().orElseThrow();
  }

  private static ServerNode replicaOf(ServerNode master) {
    List<ServerNode> replicas = cluster.replicasOf(master);
    assertThat(replicas).hasSize(1);
    return replicas.get(0);
  }

  @Test
  void threeMastersHaveAReplicaEach() {
    assertThat(cluster.nodes()).hasSize(6);
    assertThat(cluster.uris()).hasSize(6).doesNotHaveDuplicates();
    assertThat(cluster.masters()).hasSize(3);
    assertThat(cluster.masters().stream().map(RedisClusterTest::replicaOf))
        .hasSize(3)
        .doesNotHaveDuplicates()
        .doesNotContainAnyElementsOf(cluster.masters());
  }

  @Test
  void theOwnerServesItsSlotAndOthersRedirectToIt() {
    ServerNode owner = cluster.ownerOf("key");
    assertThat(cluster.slotOf("key")).isEqualTo(12539);
    assertThat(cluster.ownerOf(12539)).isSameAs(owner);
    assertThat(owner.server().command("SET", "key", "value")).isEqualTo("OK");
    assertThatThrownBy(() -> other(owner).server().command("GET", "key"))
        .hasMessage("MOVED 12539 127.0.0.1:" + owner.port());
  }

  @Test
  void aReplicaTakesOverFromAKilledMasterWhichComesBackAsItsReplica() {
    ServerNode master = cluster.ownerOf("key");
    ServerNode replica = replicaOf(master);
    master.server().kill();
    assertThat(cluster.ownerOf("key")).isSameAs(master);
    cluster.awaitSettled();
    assertThat(cluster.ownerOf("key")).isSameAs(replica);
    assertThat(replica.server().command("SET", "key", "value")).isEqualTo("OK");
    cluster.restart(master);
    assertThat(cluster.replicasOf(replica)).containsExactly(master);
  }

  @Test
  void anOrderlyFailOverKeepsTheData() {
    ServerNode master = cluster.ownerOf("key");
    ServerNode replica = replicaOf(master);
    master.server().command("SET", "key", "value");
    long pid = master.server().pid();
    cluster.failOver(replica);
    assertThat(cluster.ownerOf("key")).isSameAs(replica);
    assertThat(replica.server().command("GET", "key")).isEqualTo("value");
    assertThat(cluster.replicasOf(replica)).containsExactly(master);
    assertThat(master.server().pid()).isEqualTo(pid);
  }

  @Test
  void aReplicaTakesOverWhileMostMastersAreGone() {
    ServerNode first = cluster.ownerOf("key");
    ServerNode second = other(first);
    ServerNode replicaOfFirst = replicaOf(first);
    ServerNode replicaOfSecond = replicaOf(second);
    first.server().kill();
    second.server().pause();
    assertThatThrownBy(() -> cluster.awaitSettled(Duration.ofSeconds(3)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("The cluster must be settled within PT3S, but ")
        .hasMessageContaining("says the state is fail");
    cluster.takeOver(replicaOfFirst);
    assertThat(cluster.ownerOf("key")).isSameAs(replicaOfFirst);
    cluster.takeOver(replicaOfSecond);
    cluster.awaitSettled();
    assertThat(replicaOfFirst.server().command("SET", "key", "value")).isEqualTo("OK");
  }

  @Test
  void aMasterCannotTakeOver() {
    ServerNode master = cluster.masters().get(0);
    assertThatThrownBy(() -> cluster.takeOver(master))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(master + " must be a replica, was a master");
  }

  @Test
  void aMigrationCanStopAfterEachStep() {
    ServerNode source = cluster.ownerOf("{key}1");
    ServerNode target = other(source);
    source.server().command("MSET", "{key}1", "one", "{key}2", "two", "{key}3", "three");
    source.server().command("PEXPIRE", "{key}1", "100000");
    int slot = cluster.slotOf("{key}1");

    SlotMigration migration = cluster.beginMigration(slot, target);
    assertThat(migration.slot()).isEqualTo(slot);
    assertThat(migration.source()).isSameAs(source);
    assertThat(migration.target()).isSameAs(target);
    assertThat(cluster.ownerOf(slot)).isSameAs(source);
    assertThat(source.server().command("GET", "{key}1")).isEqualTo("one");
    assertThatThrownBy(() -> source.server().command("GET", "{key}new"))
        .hasMessage("ASK %d 127.0.0.1:%d".formatted(slot, target.port()));
    assertThat(migration.keysLeft()).containsExactly("{key}1", "{key}2", "{key}3");

    migration.moveKey("{key}1");
    assertThat(migration.keysLeft()).containsExactly("{key}2", "{key}3");
    // before version 7 it is the target that says TRYAGAIN
    assertThatThrownBy(() -> source.server().command("MGET", "{key}1", "{key}2"))
        .hasMessageMatching(source.server().version().startsWith("6") ? "ASK .*" : "TRYAGAIN.*");

    migration.moveKeys();
    assertThat(migration.keysLeft()).isEmpty();
    assertThat(cluster.ownerOf(slot)).isSameAs(source);

    migration.finish();
    assertThat(cluster.ownerOf(slot)).isSameAs(target);
    assertThat(target.server().command("MGET", "{key}1", "{key}2", "{key}3"))
        .isEqualTo(List.of("one", "two", "three"));
    assertThat(target.server().commandAsLong("PTTL", "{key}1")).isBetween(1L, 100_000L);
    assertThatThrownBy(() -> source.server().command("GET", "{key}1"))
        .hasMessage("MOVED %d 127.0.0.1:%d".formatted(slot, target.port()));
    cluster.awaitSettled();
  }

  @Test
  void aResetEndsAMigrationThatWasLeft() {
    ServerNode source = cluster.ownerOf("{key}1");
    source.server().command("SET", "{key}1", "one");
    SlotMigration left = cluster.beginMigration(cluster.slotOf("{key}1"), other(source));
    left.moveKeys();
    cluster.reset();
    assertThat(source.server().command("GET", "{key}1")).isNull();
    cluster.migrate(cluster.slotOf("{key}1"), other(source));
    assertThat(cluster.ownerOf("{key}1")).isNotSameAs(source);
  }

  @Test
  void whatDoesNotFitIsRefused() {
    ServerNode owner = cluster.ownerOf("key");
    assertThatThrownBy(() -> cluster.ownerOf(16_384))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("slot must be between 0 and 16383, was 16384");
    assertThatThrownBy(() -> cluster.migrate(cluster.slotOf("key"), owner))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("target must not own the slot yet, was " + owner);
    SlotMigration migration = cluster.beginMigration(cluster.slotOf("key"), other(owner));
    assertThatThrownBy(() -> migration.moveKey("other"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("key must be of slot 12539, was other of slot ");
  }

  @Test
  void clientsOfAClusterBehindProxiesSeeOnlyTheProxies() {
    try (RedisCluster hidden = RedisCluster.startBehindProxies()) {
      ServerNode owner = hidden.ownerOf("key");
      ServerNode replica = hidden.replicasOf(owner).get(0);
      List<String> proxies =
          hidden.nodes().stream().map(node -> "127.0.0.1:" + node.proxy().port()).toList();
      for (ServerNode node : hidden.nodes()) {
        assertThat(node.server().commandAsString("CLUSTER", "NODES").lines())
            .extracting(line -> line.split("[ @]")[1])
            .containsExactlyInAnyOrderElementsOf(proxies);
        assertThat(node.server().command("CLUSTER", "SLOTS").toString())
            .contains("127.0.0.1, " + owner.proxy().port())
            .doesNotContain("127.0.0.1, " + owner.server().port());
      }
      hidden.failOver(replica);
      assertThat(hidden.ownerOf("key")).isSameAs(replica);
      replica.server().kill();
      hidden.awaitSettled();
      hidden.restart(replica);
      hidden.migrate(hidden.slotOf("key"), hidden.masters().get(0));
      assertThat(replica.server().commandAsString("CLUSTER", "NODES").lines())
          .extracting(line -> line.split("[ @]")[1])
          .containsExactlyInAnyOrderElementsOf(proxies);
    }
  }

  @Test
  void aMasterWhoseProxyIsCutStaysMaster() {
    try (RedisCluster hidden = RedisCluster.startBehindProxies()) {
      ServerNode owner = hidden.ownerOf("key");
      ServerNode replica = hidden.replicasOf(owner).get(0);
      owner.proxy().refuse();
      owner.proxy().cut();
      owner.server().command("SET", "key", "value");
      hidden.takeOver(replica);
      assertThat(replica.server().command("GET", "key")).isNull();
      owner.proxy().accept();
      hidden.awaitSettled();
      assertThat(hidden.replicasOf(replica)).containsExactly(owner);
    }
  }

  @Test
  void closeEndsAll() {
    RedisCluster closed = RedisCluster.start(RedisServer.builder().version("6.2"));
    closed.close();
    closed.close();
    for (ServerNode node : closed.nodes()) {
      assertThat(node.server().isRunning()).isFalse();
      assertThat(node.server().logFile().getParent()).doesNotExist();
    }
  }
}
