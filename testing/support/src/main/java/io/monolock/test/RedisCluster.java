// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

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
 *   RedisNode master = cluster.ownerOf("order:42");
 *   master.server().kill();
 *   cluster.awaitSettled(); // its replica has taken over
 *   cluster.restart(master);
 * }
 * }</pre>
 *
 * <p>It is ready in a little more than two seconds: for so long a new master refuses all commands,
 * and no setting changes that. A master that does not answer for a second is taken for failed, and
 * its replica takes over in one to three seconds. Methods block until what they say is true, for 30
 * seconds at most, and then throw {@link IllegalStateException} with what is missing.
 *
 * <h2>Behind proxies</h2>
 *
 * <p>The nodes tell clients the addresses of their proxies, and each other too: a replica hears of
 * its master through the master's proxy, as clients do. What goes between the nodes apart from
 * that, such as who is alive, goes directly. So a proxy that is cut leaves its node a healthy
 * master, whose replica keeps what it has.
 *
 * <h2>What is easily overlooked</h2>
 *
 * <ul>
 *   <li>While one master is gone, all others answer {@code CLUSTERDOWN}, until it is replaced.
 *   <li>A master that is started again before its replica has taken over comes back without data,
 *       and its replica drops its own.
 *   <li>A node that {@linkplain RedisServer#restartEmpty() lost its files} is no member any more.
 *   <li>Replication is asynchronous: who takes over may lack what was written last.
 * </ul>
 */
public final class RedisCluster implements AutoCloseable {

  private static final int MASTERS = 3;
  private static final int NODES = 2 * MASTERS;
  private static final String SUBJECT = "The cluster";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final NodeGroup group;
  private final Map<String, RedisNode> byId = new LinkedHashMap<>();
  private final Awaiting cluster = new Awaiting(SUBJECT, PATIENCE);

  private RedisCluster(NodeGroup group) {
    this.group = group;
    for (RedisNode node : group.nodes()) {
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
    List<RedisNode> nodes = nodes();
    for (int i = 0; i < NODES; i++) {
      // or they would have to agree on it first
      nodes.get(i).server().command("CLUSTER", "SET-CONFIG-EPOCH", "" + (i + 1));
    }
    for (int i = 0; i < MASTERS; i++) {
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      IntStream.range(i * ClusterView.SLOTS / MASTERS, (i + 1) * ClusterView.SLOTS / MASTERS)
          .forEach(slot -> words.add("" + slot));
      nodes.get(i).server().command(words.toArray(String[]::new));
    }
    for (RedisNode one : nodes) {
      for (RedisNode other : nodes.subList(nodes.indexOf(one) + 1, NODES)) {
        String bus = "" + Ports.ofBus(other.server().port());
        one.server().command("CLUSTER", "MEET", other.host(), "" + other.port(), bus);
      }
    }
    cluster.until("complete", () -> ask().strangers());
    for (int i = 0; i < MASTERS; i++) {
      nodes.get(MASTERS + i).server().command("CLUSTER", "REPLICATE", idOf(nodes.get(i)));
    }
    awaitSettled();
  }

  /**
   * All nodes, in an order that stays: first those that began as masters, then the replicas that
   * they began with, in the same order.
   *
   * @return six nodes, also those that do not run
   */
  public List<RedisNode> nodes() {
    return group.nodes();
  }

  /**
   * The addresses of all nodes, those of their proxies if there are any.
   *
   * @return one URI such as {@code redis://127.0.0.1:12345} for each node
   */
  public List<String> uris() {
    return group.uris();
  }

  /**
   * The nodes that own slots, as {@link #ownerOf(int)} says it.
   *
   * @return three nodes, also such that have failed and are not replaced yet
   */
  public List<RedisNode> masters() {
    return ask().owners();
  }

  /**
   * The nodes that follow a master now.
   *
   * @param master the master
   * @return the replicas that can be asked; none if the node is no master
   */
  public List<RedisNode> replicasOf(RedisNode master) {
    return ask().replicasOf(idOf(master));
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
   * Who owns a slot, as the newest knowledge among the nodes says.
   *
   * @param slot 0 to 16383
   * @return the node, which may have failed and is not replaced yet
   * @throws IllegalStateException if nobody owns it
   */
  public RedisNode ownerOf(int slot) {
    checkSlot(slot);
    return ask()
        .ownerOf(slot)
        .orElseThrow(() -> new IllegalStateException("Slot " + slot + " must have an owner"));
  }

  /**
   * Who owns the slot of a key, as the newest knowledge among the nodes says.
   *
   * @param key the key
   * @return the node, which may have failed and is not replaced yet
   * @throws IllegalStateException if nobody owns it
   */
  public RedisNode ownerOf(String key) {
    return ownerOf(slotOf(key));
  }

  /**
   * Waits until all nodes that run, and are not paused, agree on a cluster that works: each slot
   * has an owner that runs, each other node follows one of these and hears of it, and those that do
   * not run are known to have failed.
   *
   * @throws IllegalStateException if they do not within 30 seconds
   */
  public void awaitSettled() {
    awaitSettled(PATIENCE);
  }

  void awaitSettled(Duration patience) {
    new Awaiting(SUBJECT, patience).until("settled", () -> ask().troubles());
  }

  /**
   * Starts a node again, and waits until the cluster is settled with it. It is a replica if another
   * has taken over from it, and else what it was, without its data unless it is persistent.
   *
   * @param node the node, which may run
   * @throws IllegalStateException if it does not start, or the cluster does not settle
   */
  public void restart(RedisNode node) {
    node.server().restart();
    awaitSettled();
  }

  /**
   * Lets a replica change places with its master in an orderly way, with {@code CLUSTER FAILOVER}:
   * the master hands over all that it has, nothing is lost, and its clients stay connected to what
   * is now a replica.
   *
   * @param replica a replica whose master runs
   * @throws IllegalStateException if the node is no replica, or is not the master within 30 seconds
   */
  public void failOver(RedisNode replica) {
    promote(replica, "CLUSTER", "FAILOVER");
    awaitSettled();
  }

  /**
   * Makes a replica the owner of its master's slots at once, with {@code CLUSTER FAILOVER
   * TAKEOVER}: it asks neither its master nor the others, so what it has not heard of is lost, and
   * that works while most masters are gone. Waits until all nodes that can be asked know it.
   *
   * @param replica a replica
   * @throws IllegalStateException if the node is no replica, or not all know it within 30 seconds
   */
  public void takeOver(RedisNode replica) {
    promote(replica, "CLUSTER", "FAILOVER", "TAKEOVER");
  }

  /**
   * Begins to move a slot to another master.
   *
   * @param slot 0 to 16383
   * @param target a master that does not own the slot
   * @return the next steps
   */
  public SlotMigration beginMigration(int slot, RedisNode target) {
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
  public void migrate(int slot, RedisNode target) {
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
   * Ends all faults and migrations, lets all nodes run, and empties them; who owns what stays as it
   * is.
   */
  void reset() {
    group.wake();
    awaitSettled();
    for (RedisNode master : masters()) {
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

  String idOf(RedisNode node) {
    return byId.entrySet().stream()
        .filter(each -> each.getValue() == node)
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("node must be of this cluster, was " + node));
  }

  void awaitOwner(int slot, RedisNode node) {
    BitSet slots = new BitSet(ClusterView.SLOTS);
    slots.set(slot);
    awaitOwner(slots, node);
  }

  private void awaitOwner(BitSet slots, RedisNode node) {
    cluster.until("in agreement", () -> ask().doubters(idOf(node), slots));
  }

  private void promote(RedisNode replica, String... words) {
    ClusterView view = ClusterView.of(replica.server());
    BitSet slots =
        view.entry(view.self().master())
            .map(ClusterView.Entry::slots)
            .orElseThrow(
                () -> new IllegalStateException(replica + " must be a replica, was a master"));
    replica.server().command(words);
    awaitOwner(slots, replica);
  }

  private ClusterViews ask() {
    return ClusterViews.ask(byId);
  }

  private RedisNode anyAwake() {
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
