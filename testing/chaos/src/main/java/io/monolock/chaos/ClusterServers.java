// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.RedisCluster;
import io.monolock.test.ServerNode;
import io.monolock.test.SlotMigration;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Three masters and their replicas. */
final class ClusterServers extends ReplicatedServers {

  private static final List<List<String>> KEYS = ChaosTopology.CLUSTER.keys();

  private final RedisCluster cluster;

  private ClusterServers(RedisCluster cluster) {
    super(cluster.nodes(), proxiesOf("node", cluster.nodes()).toList(), keysMasteredIn(cluster));
    this.cluster = cluster;
  }

  static ClusterServers start() {
    return new ClusterServers(RedisCluster.startBehindProxies(durable()));
  }

  /** By the node's own view; others may have newer ones. */
  private static Function<ServerNode, Set<String>> keysMasteredIn(RedisCluster cluster) {
    Map<String, Integer> slots =
        KEYS.stream()
            .flatMap(List::stream)
            .collect(Collectors.toUnmodifiableMap(key -> key, cluster::slotOf));
    return node -> {
      BitSet claimed = cluster.claimedSlots(node);
      return slots.entrySet().stream()
          .filter(slot -> claimed.get(slot.getValue()))
          .map(Map.Entry::getKey)
          .collect(Collectors.toUnmodifiableSet());
    };
  }

  @Override
  public String addressFor(int client) {
    return String.join(",", cluster.uris());
  }

  @Override
  public List<Fault> faults() {
    return List.of(
        this::killMaster,
        this::failOver,
        this::takeOver,
        this::pauseNode,
        this::migrateSlot,
        this::flushScripts);
  }

  private void killMaster(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      Duration away = time.multipliedBy(4);
      injector.begins("kill a master, restart it", "", away);
      operate(
          injector,
          () -> {
            ServerNode master = anyMaster(number);
            master.server().kill();
            restartAfter(away, master);
          });
    }
  }

  private void failOver(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      injector.happens("fail over in order");
      operate(
          injector,
          () -> {
            ServerNode replica = replicaOf(anyMaster(number));
            changeInOrder(replica, () -> cluster.failOver(replica));
          });
    }
  }

  private void takeOver(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      injector.happens("take over");
      operate(
          injector,
          () -> {
            cluster.takeOver(replicaOf(anyMaster(number)));
            awaitSettled();
          });
    }
  }

  private void pauseNode(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      Duration away = time.multipliedBy(3);
      injector.begins("pause a node", " " + (number + 1), away);
      operate(injector, () -> pauseFor(away, cluster.nodes().get(number)));
    }
  }

  private void migrateSlot(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      List<String> keys = KEYS.get(number % KEYS.size());
      injector.begins("migrate a slot", " with " + keys, time);
      operate(injector, () -> migrate(keys.get(0), number, time));
    }
  }

  private void migrate(String key, int number, Duration time) {
    ServerNode source = cluster.ownerOf(key);
    List<ServerNode> others = masters().stream().filter(master -> !master.equals(source)).toList();
    ServerNode target = others.get(number % others.size());
    SlotMigration migration = cluster.beginMigration(cluster.slotOf(key), target);
    try {
      ServerOperation.pass(time.dividedBy(2));
      migration.moveKey(key);
      ServerOperation.pass(time.dividedBy(2));
      changeInOrder(target, migration::finish);
    } finally {
      // a migration that failed must not stay open
      for (ServerNode node : List.of(source, target)) {
        var unused = node.server().command("CLUSTER", "SETSLOT", "" + migration.slot(), "STABLE");
      }
    }
  }

  private ServerNode anyMaster(int number) {
    List<ServerNode> masters = masters();
    return masters.get(number % masters.size());
  }

  private ServerNode replicaOf(ServerNode master) {
    return cluster.replicasOf(master).stream()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(master + " has no replica now"));
  }

  @Override
  List<ServerNode> masters() {
    return cluster.masters();
  }

  @Override
  void awaitSettled() {
    cluster.awaitSettled();
  }

  @Override
  void recover() {
    cluster.recover();
  }

  @Override
  public void close() {
    super.close();
    cluster.close();
  }
}
