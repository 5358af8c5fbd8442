// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.RedisException;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisCluster;
import io.monolock.test.ServerNode;
import io.monolock.test.RedisServer;
import io.monolock.test.SlotMigration;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Three masters and their replicas, each behind a link of its own. Servers keep what they have when
 * they are killed, so that only a fail-over loses something.
 */
final class ClusterServers implements ChaosServers {

  private final RedisCluster cluster =
      RedisCluster.startBehindProxies(
          RedisServer.builder().config("appendonly", "yes").config("appendfsync", "no"));
  private final List<NamedProxy> links =
      IntStream.range(0, cluster.nodes().size())
          .mapToObj(i -> new NamedProxy(cluster.nodes().get(i).proxy(), "node " + (i + 1)))
          .toList();
  private final Map<String, Integer> slots =
      ChaosTopology.CLUSTER.keys().stream()
          .flatMap(List::stream)
          .collect(Collectors.toUnmodifiableMap(key -> key, cluster::slotOf));
  private final FailOvers failOvers = FailOvers.watch(cluster.nodes(), this::keysMastered);
  private final ServerOperation operation = new ServerOperation();

  /** What the server itself says; others may know better. */
  private Set<String> keysMastered(RedisServer server) {
    String nodes = server.commandAsString("CLUSTER", "NODES");
    return String.valueOf(nodes)
        .lines()
        .filter(line -> line.contains("myself,master"))
        .map(ClusterServers::slotsIn)
        .flatMap(isOwn -> slots.keySet().stream().filter(key -> isOwn.test(slots.get(key))))
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The ranges at the end of the line; those in brackets are on their way. */
  private static Predicate<Integer> slotsIn(String line) {
    return Stream.of(line.split(" "))
        .skip(8)
        .filter(range -> !range.startsWith("["))
        .map(range -> range.split("-"))
        .<Predicate<Integer>>map(
            ends ->
                slot ->
                    Integer.parseInt(ends[0]) <= slot
                        && slot <= Integer.parseInt(ends[ends.length - 1]))
        .reduce(slot -> false, Predicate::or);
  }

  @Override
  public String addressFor(int client) {
    return String.join(",", cluster.uris());
  }

  @Override
  public List<NamedProxy> links() {
    return links;
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

  private void killMaster(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      Duration away = time.multipliedBy(4);
      nemesis.begins("kill a master, restart it", "", away);
      operation.begin(
          nemesis,
          () -> {
            RedisServer master = anyMaster(number).server();
            master.kill();
            ServerOperation.pass(away);
            master.restart();
            cluster.awaitSettled();
          });
    }
  }

  private void failOver(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      nemesis.happens("fail over in order");
      operation.begin(
          nemesis,
          () -> {
            ServerNode replica = replicaOf(anyMaster(number));
            failOvers.orderly(replica, () -> cluster.failOver(replica));
          });
    }
  }

  private void takeOver(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      nemesis.happens("take over");
      operation.begin(
          nemesis,
          () -> {
            cluster.takeOver(replicaOf(anyMaster(number)));
            cluster.awaitSettled();
          });
    }
  }

  private void pauseNode(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      Duration away = time.multipliedBy(3);
      nemesis.begins("pause a node", " " + (number + 1), away);
      operation.begin(
          nemesis,
          () -> {
            RedisServer server = cluster.nodes().get(number).server();
            server.pause();
            ServerOperation.pass(away);
            server.resume();
            cluster.awaitSettled();
          });
    }
  }

  private void migrateSlot(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      List<String> keys = ChaosTopology.CLUSTER.keys().get(number % ChaosTopology.CLUSTER.keys().size());
      nemesis.begins("migrate a slot", " with " + keys, time);
      operation.begin(nemesis, () -> migrate(keys.get(0), number, time));
    }
  }

  private void migrate(String key, int number, Duration time) {
    ServerNode source = cluster.ownerOf(key);
    List<ServerNode> others =
        cluster.masters().stream().filter(master -> !master.equals(source)).toList();
    ServerNode target = others.get(number % others.size());
    SlotMigration migration = cluster.beginMigration(cluster.slotOf(key), target);
    try {
      ServerOperation.pass(time.dividedBy(2));
      migration.moveKey(key);
      ServerOperation.pass(time.dividedBy(2));
      failOvers.orderly(target, migration::finish);
    } finally {
      // nothing is left of one that was given up
      for (ServerNode node : List.of(source, target)) {
        var unused = node.server().command("CLUSTER", "SETSLOT", "" + migration.slot(), "STABLE");
      }
    }
  }

  private void flushScripts(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      nemesis.happens("flush scripts");
      for (ServerNode node : cluster.nodes()) {
        var unused = node.server().command("SCRIPT", "FLUSH");
      }
    }
  }

  private ServerNode anyMaster(int number) {
    List<ServerNode> masters = cluster.masters();
    return masters.get(number % masters.size());
  }

  private ServerNode replicaOf(ServerNode master) {
    return cluster.replicasOf(master).stream()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException(master + " has no replica now"));
  }

  @Override
  public void settle() {
    operation.await();
    for (ServerNode node : cluster.nodes()) {
      node.server().resume();
      if (!node.server().isRunning()) {
        node.server().restart();
      }
    }
    cluster.awaitSettled();
    failOvers.awaitEnd();
  }

  @Override
  public List<String> keys() {
    try {
      return cluster.masters().stream()
          .flatMap(master -> KeyScanner.of(master.server()).matching("*").stream())
          .toList();
    } catch (RedisException e) {
      throw new IllegalStateException("All masters must answer", e);
    }
  }

  @Override
  public List<LossyFailOver> losses() {
    return failOvers.losses();
  }

  @Override
  public void close() {
    failOvers.close();
    cluster.close();
  }
}
