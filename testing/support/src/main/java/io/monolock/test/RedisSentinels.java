// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A master with two replicas, watched by three sentinels that promote a replica when the master
 * fails, or when they are told to.
 *
 * <pre>{@code
 * try (RedisSentinels sentinels = RedisSentinels.start()) {
 *   RedisNode former = sentinels.killMaster();
 *   sentinels.awaitSettled(); // a replica is the master now
 *   sentinels.restart(former);
 * }
 * }</pre>
 *
 * <p>They are ready in a second, with version 6.2 in two. A server that does not answer for a
 * second is taken for down; another one is the master one to three seconds after that, and within
 * six if the last fail-over was just before. Methods block until what they say is true, for 45
 * seconds at most, and then throw {@link IllegalStateException} with what is missing.
 *
 * <h2>Behind proxies</h2>
 *
 * <p>All that anybody knows of another, be it client, sentinel or server, is the address of its
 * proxy. So the sentinels take a master whose proxy is cut for down, though it still runs and takes
 * the writes of who asks it directly.
 *
 * <h2>What is easily overlooked</h2>
 *
 * <ul>
 *   <li>A master that is started again before a replica was promoted comes back without data, and
 *       the replicas drop theirs.
 *   <li>A former master that comes back is a master, until the sentinels make it a replica some
 *       seconds later.
 *   <li>Replication is asynchronous: who is promoted may lack what was written last.
 *   <li>Sentinels look at replicas every ten seconds. They are told to do so more often, but those
 *       of version 6.2 cannot be told: there all takes ten to thirty seconds to settle. Nor can a
 *       sentinel that a test starts again by itself; {@link #restart} tells it.
 * </ul>
 */
public final class RedisSentinels implements AutoCloseable {

  private static final String MASTER_NAME = "monolock";
  private static final int REPLICAS = 2;
  private static final int SENTINELS = 3;
  private static final int QUORUM = 2;
  private static final Map<String, String> HURRY =
      Map.of(
          "info-period", "500",
          "ping-period", "200",
          "ask-period", "200",
          "publish-period", "200",
          // for how long one does nothing that was paused
          "tilt-period", "1000");
  private static final Duration REPEAT = Duration.ofSeconds(12);
  private static final Duration PATIENCE = Duration.ofSeconds(45);

  private final NodeGroup servers;
  private final NodeGroup sentinels;
  private final Awaiting awaiting = new Awaiting("The servers and their sentinels", PATIENCE);

  private RedisSentinels(NodeGroup servers, NodeGroup sentinels) {
    this.servers = servers;
    this.sentinels = sentinels;
  }

  /**
   * Starts servers with the default settings and their sentinels, and waits until all know each
   * other.
   *
   * @return the running servers
   * @throws IllegalStateException if a process does not start, or they do not find each other
   */
  public static RedisSentinels start() {
    return start(RedisServer.builder());
  }

  /**
   * Starts servers of a kind and their sentinels, and waits until all know each other.
   *
   * @param kind the settings of each server; its port must be the default
   * @return the running servers
   * @throws IllegalStateException if a process does not start, or they do not find each other
   */
  public static RedisSentinels start(RedisServer.Builder kind) {
    return start(kind, false);
  }

  /**
   * Starts servers with the default settings and their sentinels, each process behind a proxy of
   * its own, and waits until all know each other.
   *
   * @return the running servers
   * @throws IllegalStateException if a process does not start, or they do not find each other
   */
  public static RedisSentinels startBehindProxies() {
    return startBehindProxies(RedisServer.builder());
  }

  /**
   * Starts servers of a kind and their sentinels, each process behind a proxy of its own, and waits
   * until all know each other.
   *
   * @param kind the settings of each server; its port must be the default
   * @return the running servers
   * @throws IllegalStateException if a process does not start, or they do not find each other
   */
  public static RedisSentinels startBehindProxies(RedisServer.Builder kind) {
    return start(kind, true);
  }

  private static RedisSentinels start(RedisServer.Builder kind, boolean behindProxies) {
    NodeGroup servers = NodeGroup.started(behindProxies, empty -> startServers(empty, kind));
    try {
      RedisNode master = servers.nodes().get(0);
      NodeGroup sentinels =
          NodeGroup.started(behindProxies, empty -> startSentinels(empty, kind, master));
      return settled(new RedisSentinels(servers, sentinels));
    } catch (RuntimeException e) {
      servers.close();
      throw e;
    }
  }

  private static RedisSentinels settled(RedisSentinels started) {
    try {
      started.hurry();
      started.awaitSettled();
      return started;
    } catch (RuntimeException e) {
      started.close();
      throw e;
    }
  }

  private static void startServers(NodeGroup empty, RedisServer.Builder kind) {
    RedisServer.Builder server =
        kind.copy()
            // sentinels write there who follows whom
            .mode(Launcher.Mode.KEEPS_CONFIGURATION)
            .config("repl-diskless-sync-delay", "0");
    RedisNode master = empty.start(server, RedisSentinels::announceServer);
    for (int i = 0; i < REPLICAS; i++) {
      RedisServer replica = empty.start(server, RedisSentinels::announceServer).server();
      replica.command("REPLICAOF", master.host(), "" + master.port());
      replica.command("CONFIG", "REWRITE");
    }
    // what sentinels see at first they believe for ten seconds
    new Awaiting("The replicas", PATIENCE)
        .until(
            "in sync", () -> new SentinelViews(empty, List.of(), MASTER_NAME).badFollowers(master));
  }

  private static void announceServer(RedisServer.Builder builder, int ownPort, int knownPort) {
    builder
        .config("replica-announce-ip", Launcher.HOST)
        .config("replica-announce-port", "" + knownPort);
  }

  private static void startSentinels(NodeGroup empty, RedisServer.Builder kind, RedisNode master) {
    String monitor = "%s %s %d %d".formatted(MASTER_NAME, master.host(), master.port(), QUORUM);
    RedisServer.Builder sentinel =
        kind.ofSameVersion()
            .mode(Launcher.Mode.SENTINEL)
            .mode(Launcher.Mode.KEEPS_CONFIGURATION)
            .config("sentinel monitor", monitor)
            .config("sentinel down-after-milliseconds", MASTER_NAME + " 1000")
            .config("sentinel failover-timeout", MASTER_NAME + " 3000")
            .config("sentinel parallel-syncs", MASTER_NAME + " " + REPLICAS)
            .config("sentinel auth-user", MASTER_NAME + " " + ControlConnection.USER)
            .config("sentinel auth-pass", MASTER_NAME + " " + ControlConnection.USER);
    for (int i = 0; i < SENTINELS; i++) {
      empty.start(sentinel, RedisSentinels::announceSentinel);
    }
  }

  private static void announceSentinel(RedisServer.Builder builder, int ownPort, int knownPort) {
    builder
        .config("sentinel announce-ip", Launcher.HOST)
        .config("sentinel announce-port", "" + knownPort);
  }

  /**
   * The name that the sentinels know the master by.
   *
   * @return always {@code monolock}
   */
  public String masterName() {
    return MASTER_NAME;
  }

  /**
   * The addresses of the sentinels and the name of the master, in the form that Lettuce takes.
   *
   * @return a URI such as {@code redis-sentinel://127.0.0.1:12345,127.0.0.1:12346#monolock}
   */
  public String uri() {
    return sentinels().stream()
        .map(node -> node.host() + ":" + node.port())
        .collect(Collectors.joining(",", "redis-sentinel://", "#" + MASTER_NAME));
  }

  /**
   * The master and the replicas, in an order that stays.
   *
   * @return three nodes, first the one that began as the master; also those that do not run
   */
  public List<RedisNode> nodes() {
    return servers.nodes();
  }

  /**
   * The sentinels, in an order that stays. They can be killed and restarted as other servers; they
   * remember what they knew.
   *
   * @return three nodes, also those that do not run
   */
  public List<RedisNode> sentinels() {
    return sentinels.nodes();
  }

  /**
   * The addresses of the master and the replicas, those of their proxies if there are any.
   *
   * @return one URI such as {@code redis://127.0.0.1:12345} for each of {@link #nodes()}
   */
  public List<String> uris() {
    return servers.uris();
  }

  /**
   * The node that most sentinels call the master.
   *
   * @return the node, which may have failed and is not replaced yet
   * @throws IllegalStateException if two of the sentinels do not agree
   */
  public RedisNode master() {
    SentinelViews views = ask();
    return views
        .elected(QUORUM)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "Two sentinels must agree on a master, say " + views.masters()));
  }

  /**
   * The nodes that are not the {@linkplain #master() master}.
   *
   * @return two nodes, also those that do not run
   */
  public List<RedisNode> replicas() {
    RedisNode master = master();
    return nodes().stream().filter(node -> node != master).toList();
  }

  /**
   * Kills the master, as a crash does, and does not wait for what follows.
   *
   * @return the node that was killed
   */
  public RedisNode killMaster() {
    RedisNode master = master();
    master.server().kill();
    return master;
  }

  /**
   * Tells the sentinels to promote a replica though the master is well, and waits until it is the
   * master and all others follow it. What the replica has not heard of is lost; the former master
   * is made a replica, and tells its clients by cutting their connections.
   *
   * @throws IllegalStateException if it has not happened within 45 seconds
   */
  public void failOver() {
    RedisNode former = master();
    long[] toldAt = {System.nanoTime() - REPEAT.toNanos()};
    awaiting.until(
        "under a new master",
        () -> {
          List<String> troubles = ask().troublesOfElected(QUORUM, former);
          // a busy machine may let it fail half-way, and then nobody begins it again
          if (!troubles.isEmpty() && System.nanoTime() - toldAt[0] >= REPEAT.toNanos()) {
            anyAwake().command("SENTINEL", "FAILOVER", MASTER_NAME);
            toldAt[0] = System.nanoTime();
          }
          return troubles;
        });
    awaitSettled();
  }

  /**
   * Waits until two sentinels agree on another master, which takes writes. The others may still be
   * on their way.
   *
   * @param former the node that must not be the master any more
   * @return the new master
   * @throws IllegalStateException if there is none within 45 seconds
   */
  public RedisNode awaitNewMaster(RedisNode former) {
    awaiting.until("under a new master", () -> ask().troublesOfElected(QUORUM, former));
    return master();
  }

  /**
   * Waits until all sentinels and servers that run, and are not paused, agree: one of the servers
   * is the master, the others follow it and hear of it, and those that do not run are known to be
   * down.
   *
   * @throws IllegalStateException if they do not within 45 seconds
   */
  public void awaitSettled() {
    awaitSettled(PATIENCE);
  }

  void awaitSettled(Duration patience) {
    new Awaiting(awaiting.subject(), patience).until("settled", () -> ask().troubles());
  }

  /**
   * Starts a server or a sentinel again, and waits until all are settled with it. A former master
   * becomes a replica of the one that was promoted.
   *
   * @param node the node, which may run
   * @throws IllegalStateException if it does not start, or not all are settled within 45 seconds
   */
  public void restart(RedisNode node) {
    node.server().restart();
    hurry();
    awaitSettled();
  }

  /** Ends all servers, sentinels and proxies. Closing again does nothing. */
  @Override
  public void close() {
    sentinels.close();
    servers.close();
  }

  List<RedisServer> servers() {
    return Stream.of(servers, sentinels).flatMap(group -> group.servers().stream()).toList();
  }

  /** Ends all faults, lets all run, and empties the servers; who is the master stays as it is. */
  void reset() {
    servers.wake();
    sentinels.wake();
    hurry();
    awaitSettled();
    master().server().command("FLUSHALL");
    servers.servers().forEach(server -> server.command("SCRIPT", "FLUSH"));
  }

  /** Lets sentinels look at the servers and talk to each other more often, if they can do that. */
  private void hurry() {
    for (RedisNode sentinel : sentinels.awake()) {
      if (sentinel.server().version().matches("[0-6]\\..*")) {
        return;
      }
      HURRY.forEach(
          (period, millis) -> sentinel.server().command("SENTINEL", "DEBUG", period, millis));
    }
  }

  private RedisServer anyAwake() {
    return sentinels.awake().stream()
        .findFirst()
        .map(RedisNode::server)
        .orElseThrow(() -> new IllegalStateException("One sentinel must run, none does"));
  }

  private SentinelViews ask() {
    return new SentinelViews(servers, sentinels.awake(), MASTER_NAME);
  }
}
