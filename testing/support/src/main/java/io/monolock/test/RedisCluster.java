// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.RedisException;
import io.monolock.test.ClusterView.NodeLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;

/**
 * A Redis Cluster of three masters, each with a replica, whose nodes can fail, change roles and
 * hand over slots.
 *
 * <pre>{@code
 * try (RedisCluster cluster = RedisCluster.start()) {
 *   ServerNode master = cluster.ownerOf("order:42");
 *   master.server().kill();
 *   cluster.awaitSettled(); // its replica has taken over
 *   cluster.restart(master);
 * }
 * }</pre>
 *
 * <p>It is ready in a little more than two seconds: for so long a new master refuses all commands,
 * and no setting changes that. A master that does not answer for a second counts as failed, and its
 * replica takes over in one to three seconds. Methods block until what they say is true, for 30
 * seconds at most, and then throw {@link IllegalStateException} with what is missing.
 *
 * <h2>Behind proxies</h2>
 *
 * <p>The nodes announce the addresses of their proxies, to clients and to each other: a replica
 * replicates through its master's proxy. The bus of the cluster, with its failure detection, does
 * not go through proxies. So a node whose proxy is cut stays a healthy master, whose replica gets
 * no more writes.
 *
 * <h2>What is easily overlooked</h2>
 *
 * <ul>
 *   <li>While one master is gone, all others answer {@code CLUSTERDOWN}, until it is replaced.
 *   <li>A master that is started again before its replica has taken over comes back without data,
 *       and its replica drops its own.
 *   <li>A node that {@linkplain RedisServer#restartEmpty() lost its files} is no longer a member.
 *   <li>Replication is asynchronous: a replica that takes over may lack the last writes.
 * </ul>
 */
public final class RedisCluster implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int NODES = 2 * MASTERS;
  private static final String SUBJECT = "The cluster";
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final NodeGroup group;
  private final Map<String, ServerNode> byId = new LinkedHashMap<>();
  private final StatePoller cluster = new StatePoller(SUBJECT, TIMEOUT);

  private RedisCluster(NodeGroup group) {
    this.group = group;
    for (ServerNode node : group.nodes()) {
      byId.put(Objects.requireNonNull(node.server().commandAsString("CLUSTER", "MYID")), node);
    }
  }

  /**
   * Starts a cluster with the default settings and waits until it serves all slots.
   *
   * @return the running cluster
   * @throws IllegalStateException if a server does not start, or they do not become a cluster
   */
  public static RedisCluster start() {
    return start(RedisServer.builder());
  }

  /**
   * Starts a cluster of servers of a kind and waits until it serves all slots.
   *
   * @param kind the settings of each server; its port must be the default
   * @return the running cluster
   * @throws IllegalStateException if a server does not start, or they do not become a cluster
   */
  public static RedisCluster start(RedisServer.Builder kind) {
    return start(kind, false);
  }

  /**
   * Starts a cluster with the default settings, each node behind a proxy of its own, and waits
   * until it serves all slots.
   *
   * @return the running cluster
   * @throws IllegalStateException if a server does not start, or they do not become a cluster
   */
  public static RedisCluster startBehindProxies() {
    return startBehindProxies(RedisServer.builder());
  }

  /**
   * Starts a cluster of servers of a kind, each behind a proxy of its own, and waits until it
   * serves all slots.
   *
   * @param kind the settings of each server; its port must be the default
   * @return the running cluster
   * @throws IllegalStateException if a server does not start, or they do not become a cluster
   */
  public static RedisCluster startBehindProxies(RedisServer.Builder kind) {
    return start(kind, true);
  }

  private static RedisCluster start(RedisServer.Builder kind, boolean behindProxies) {
    NodeGroup group =
        NodeGroup.started(
            behindProxies,
            empty -> {
              for (int i = 0; i < NODES; i++) {
                empty.start(nodeOf(kind), RedisCluster::announce);
              }
            });
    RedisCluster cluster = new RedisCluster(group);
    try {
      cluster.form();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private static RedisServer.Builder nodeOf(RedisServer.Builder kind) {
    return kind.copy()
        .config("cluster-enabled", "yes")
        .config("cluster-node-timeout", "1000")
        // a replica takes over however long its link was cut, and stays with its master
        .config("cluster-replica-validity-factor", "0")
        .config("cluster-allow-replica-migration", "no")
        .config("repl-diskless-sync-delay", "0");
  }

  private static void announce(RedisServer.Builder builder, int ownPort, int knownPort) {
    builder
        .config("cluster-announce-ip", Launcher.HOST)
        .config("cluster-announce-port", "" + knownPort)
        .config("cluster-announce-bus-port", "" + Ports.ofBus(ownPort));
  }

  private void form() {
    List<ServerNode> nodes = nodes();
    for (int i = 0; i < NODES; i++) {
      // or the nodes would have to agree on the epochs first
      nodes.get(i).server().command("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
    }
    for (int i = 0; i < MASTERS; i++) {
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      IntStream.range(i * ClusterView.SLOTS / MASTERS, (i + 1) * ClusterView.SLOTS / MASTERS)
          .forEach(slot -> words.add("" + slot));
      nodes.get(i).server().command(words.toArray(String[]::new));
    }
    for (ServerNode one : nodes) {
      for (ServerNode other : nodes.subList(nodes.indexOf(one) + 1, NODES)) {
        String bus = "" + Ports.ofBus(other.server().port());
        one.server().command("CLUSTER", "MEET", other.host(), "" + other.port(), bus);
      }
    }
    cluster.until("complete", () -> views().nodesNotConnected());
    for (int i = 0; i < MASTERS; i++) {
      nodes.get(MASTERS + i).server().command("CLUSTER", "REPLICATE", idOf(nodes.get(i)));
    }
    awaitSettled();
  }

  /**
   * All nodes, in an order that stays: first the initial masters, then their initial replicas, in
   * the same order.
   *
   * @return six nodes, running or not
   */
  public List<ServerNode> nodes() {
    return group.nodes();
  }

  /**
   * The addresses of all nodes, or of their proxies if there are any.
   *
   * @return one URI such as {@code redis://127.0.0.1:12345} for each node
   */
  public List<String> uris() {
    return group.uris();
  }

  /**
   * The nodes that own slots, determined as in {@link #ownerOf(int)}.
   *
   * @return three nodes; one of them may have failed and not be replaced yet
   */
  public List<ServerNode> masters() {
    return views().owners();
  }

  /**
   * The present replicas of a master.
   *
   * @param master the master
   * @return the replicas that run and are not paused; empty if the node is no master
   */
  public List<ServerNode> replicasOf(ServerNode master) {
    return views().replicasOf(idOf(master));
  }

  /**
   * The slot of a key, as the servers compute it.
   *
   * @param key the key
   * @return 0 to 16383
   */
  public int slotOf(String key) {
    return (int) anyAwake().server().commandAsLong("CLUSTER", "KEYSLOT", key);
  }

  /**
   * The owner of a slot, by the newest configuration among the nodes.
   *
   * @param slot 0 to 16383
   * @return the node, which may have failed and not be replaced yet
   * @throws IllegalStateException if it has no owner
   */
  public ServerNode ownerOf(int slot) {
    checkSlot(slot);
    return views()
        .ownerOf(slot)
        .orElseThrow(() -> new IllegalStateException("Slot " + slot + " must have an owner"));
  }

  /**
   * The owner of the slot of a key, by the newest configuration among the nodes.
   *
   * @param key the key
   * @return the node, which may have failed and not be replaced yet
   * @throws IllegalStateException if it has no owner
   */
  public ServerNode ownerOf(String key) {
    return ownerOf(slotOf(key));
  }

  /**
   * The slots of which a node takes itself for the owner, with or without the consent of others.
   *
   * @param node a node that runs
   * @return the slots, 0 to 16383; empty if the node is a replica
   * @throws RedisException if the node does not answer
   */
  public BitSet claimedSlots(ServerNode node) {
    NodeLine self = ClusterView.of(node.server()).self();
    return self.isMaster() ? self.slots() : new BitSet();
  }

  /**
   * Resumes nodes that are paused, starts nodes that do not run, and waits until the cluster is
   * settled.
   *
   * @throws IllegalStateException if a node does not start, or the cluster does not settle
   */
  public void recover() {
    group.recover();
    awaitSettled();
  }

  /**
   * Waits until all nodes that run, and are not paused, agree on a cluster that works: each slot
   * has an owner that runs, each other node replicates from one of the owners, and nodes that do
   * not run are known to have failed.
   *
   * @throws IllegalStateException if they do not within 30 seconds
   */
  public void awaitSettled() {
    awaitSettled(TIMEOUT);
  }

  void awaitSettled(Duration timeout) {
    new StatePoller(SUBJECT, timeout).until("settled", () -> views().problems());
  }

  /**
   * Starts a node again, and waits until the cluster is settled with it. It becomes a replica if
   * another node has taken over from it; otherwise it keeps its role, and loses its data unless it
   * is persistent.
   *
   * @param node the node, which may run
   * @throws IllegalStateException if it does not start, or the cluster does not settle
   */
  public void restart(ServerNode node) {
    node.server().restart();
    awaitSettled();
  }

  /**
   * Lets a replica change places with its master in an orderly way, with {@code CLUSTER FAILOVER}:
   * the master hands over all data, nothing is lost, and its clients stay connected to what is now
   * a replica.
   *
   * @param replica a replica whose master runs
   * @throws IllegalStateException if the node is no replica, or is not the master within 30 seconds
   */
  public void failOver(ServerNode replica) {
    promote(replica, "CLUSTER", "FAILOVER");
    awaitSettled();
  }

  /**
   * Makes a replica the owner of its master's slots at once, with {@code CLUSTER FAILOVER
   * TAKEOVER}: it needs neither its master nor a vote of the others, so what was not replicated is
   * lost, and it works while most masters are down. Waits until all nodes that run know it.
   *
   * @param replica a replica
   * @throws IllegalStateException if the node is no replica, or not all know it within 30 seconds
   */
  public void takeOver(ServerNode replica) {
    promote(replica, "CLUSTER", "FAILOVER", "TAKEOVER");
  }

  /**
   * Begins to move a slot to another master.
   *
   * @param slot 0 to 16383
   * @param target a master that does not own the slot
   * @return the next steps
   */
  public SlotMigration beginMigration(int slot, ServerNode target) {
    checkSlot(slot);
    return SlotMigration.begin(this, slot, target);
  }

  /**
   * Moves a slot with its keys to another master, and waits until all nodes know it.
   *
   * @param slot 0 to 16383
   * @param target a master that does not own the slot
   * @throws IllegalStateException if they do not know it within 30 seconds
   */
  public void migrate(int slot, ServerNode target) {
    beginMigration(slot, target).finish();
  }

  /** Ends all nodes and their proxies. Closing again does nothing. */
  @Override
  public void close() {
    group.close();
  }

  List<RedisServer> servers() {
    return group.servers();
  }

  /**
   * Ends all faults and migrations, lets all nodes run, and empties them; the owners of slots stay
   * as they are.
   */
  void reset() {
    group.wake();
    awaitSettled();
    for (ServerNode master : masters()) {
      endMigrations(master.server());
      master.server().command("FLUSHALL");
    }
    servers().forEach(server -> server.command("SCRIPT", "FLUSH"));
  }

  private static void endMigrations(RedisServer master) {
    for (Integer slot : ClusterView.of(master).self().movingSlots()) {
      master.command("CLUSTER", "SETSLOT", "" + slot, "STABLE");
    }
  }

  String idOf(ServerNode node) {
    return byId.entrySet().stream()
        .filter(each -> each.getValue() == node)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("node must be of this cluster, was " + node));
  }

  void awaitOwner(int slot, ServerNode node) {
    BitSet slots = new BitSet(ClusterView.SLOTS);
    slots.set(slot);
    awaitOwner(slots, node);
  }

  private void awaitOwner(BitSet slots, ServerNode node) {
    cluster.until("in agreement", () -> views().nodesNotAware(idOf(node), slots));
  }

  private void promote(ServerNode replica, String... words) {
    ClusterView view = ClusterView.of(replica.server());
    BitSet slots =
        view.line(view.self().master())
            .map(NodeLine::slots)
            .orElseThrow(
                () -> new IllegalStateException(replica + " must be a replica, was a master"));
    replica.server().command(words);
    awaitOwner(slots, replica);
  }

  private ClusterViews views() {
    return ClusterViews.read(byId);
  }

  private ServerNode anyAwake() {
    return group.awake().stream()
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("One node must run, none does"));
  }

  private static void checkSlot(int slot) {
    if (slot < 0 || slot >= ClusterView.SLOTS) {
      throw new IllegalArgumentException("slot must be between 0 and 16383, was " + slot);
    }
  }
}
