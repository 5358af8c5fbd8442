// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A master with two replicas, watched by three sentinels that promote a replica when the master
 * fails, or on command.
 *
 * <pre>{@code
 * try (RedisSentinels sentinels = RedisSentinels.start()) {
 *   ServerNode former = sentinels.killMaster();
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
 * <p>Clients, sentinels and servers know each other by the addresses of the proxies only. So the
 * sentinels take a master whose proxy is cut for down, though it still runs and takes writes of
 * clients that connect to it directly.
 *
 * <h2>What is easily overlooked</h2>
 *
 * <ul>
 *   <li>A master that is started again before a replica was promoted comes back without data, and
 *       the replicas drop theirs.
 *   <li>A former master that comes back is a master, until the sentinels make it a replica some
 *       seconds later.
 *   <li>Replication is asynchronous: a promoted replica may lack the last writes.
 *   <li>Sentinels look at replicas every ten seconds by default. From version 7 on they are set to
 *       do so more often; with version 6.2, all takes ten to thirty seconds to settle. A sentinel
 *       that a test restarts by itself has the default again; {@link #restart} sets it.
 * </ul>
 */
public final class RedisSentinels implements AutoCloseable {

  private static final String MASTER_NAME = "monolock";
  private static final int REPLICAS = 2;
  private static final int SENTINELS = 3;
  private static final int QUORUM = 2;
  private static final Map<String, String> SHORT_PERIODS =
      Map.of(
          "info-period", "500",
          "ping-period", "200",
          "ask-period", "200",
          "publish-period", "200",
          // how long a sentinel stays passive after it was paused
          "tilt-period", "1000");
  private static final Duration REPEAT_AFTER = Duration.ofSeconds(12);
  private static final Duration TIMEOUT = Duration.ofSeconds(45);

  private final NodeGroup servers;
  private final NodeGroup sentinels;
  private final StatePoller poller = new StatePoller("The servers and their sentinels", TIMEOUT);

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
      ServerNode master = servers.nodes().get(0);
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
      started.shortenPeriods();
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
            // sentinels write the roles into it
            .mode(Launcher.Mode.KEEPS_CONFIGURATION)
            .config("repl-diskless-sync-delay", "0");
    ServerNode master = empty.start(server, RedisSentinels::announceServer);
    for (int i = 0; i < REPLICAS; i++) {
      RedisServer replica = empty.start(server, RedisSentinels::announceServer).server();
      replica.command("REPLICAOF", master.host(), "" + master.port());
      replica.command("CONFIG", "REWRITE");
    }
    // sentinels keep what they see at first for ten seconds
    new StatePoller("The replicas", TIMEOUT)
        .until(
            "in sync",
            () -> new SentinelViews(empty, List.of(), MASTER_NAME).replicasOutOfSync(master));
  }

  private static void announceServer(RedisServer.Builder builder, int ownPort, int knownPort) {
    builder
        .config("replica-announce-ip", Launcher.HOST)
        .config("replica-announce-port", "" + knownPort);
  }

  private static void startSentinels(NodeGroup empty, RedisServer.Builder kind, ServerNode master) {
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
   * The name of the master in the sentinels.
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
   * @return three nodes, first the initial master, running or not
   */
  public List<ServerNode> nodes() {
    return servers.nodes();
  }

  /**
   * The sentinels, in an order that stays. They can be killed and restarted as other servers; they
   * keep their state.
   *
   * @return three nodes, running or not
   */
  public List<ServerNode> sentinels() {
    return sentinels.nodes();
  }

  /**
   * The addresses of the master and the replicas, or of their proxies if there are any.
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
  public ServerNode master() {
    SentinelViews views = views();
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
   * @return two nodes, running or not
   */
  public List<ServerNode> replicas() {
    ServerNode master = master();
    return nodes().stream().filter(node -> node != master).toList();
  }

  /**
   * Kills the master, as a crash does; does not wait for a fail-over.
   *
   * @return the node that was killed
   */
  public ServerNode killMaster() {
    ServerNode master = master();
    master.server().kill();
    return master;
  }

  /**
   * Makes the sentinels promote a replica though the master works, and waits until it is the master
   * and all others replicate from it. What was not replicated is lost; the former master becomes a
   * replica, and closes the connections of its clients.
   *
   * @throws IllegalStateException if it has not happened within 45 seconds
   */
  public void failOver() {
    ServerNode former = master();
    long[] requestedAt = {System.nanoTime() - REPEAT_AFTER.toNanos()};
    poller.until(
        "under a new master",
        () -> {
          List<String> problems = views().problemsOfElected(QUORUM, former);
          // it may fail half-way on a busy machine, and sentinels do not repeat it
          if (!problems.isEmpty() && System.nanoTime() - requestedAt[0] >= REPEAT_AFTER.toNanos()) {
            anyAwake().command("SENTINEL", "FAILOVER", MASTER_NAME);
            requestedAt[0] = System.nanoTime();
          }
          return problems;
        });
    awaitSettled();
  }

  /**
   * Waits until two sentinels agree on another master, which takes writes. The other servers may
   * still replicate from the former one.
   *
   * @param former the node that must not be the master any more
   * @return the new master
   * @throws IllegalStateException if there is none within 45 seconds
   */
  public ServerNode awaitNewMaster(ServerNode former) {
    poller.until("under a new master", () -> views().problemsOfElected(QUORUM, former));
    return master();
  }

  /**
   * Waits until all sentinels and servers that run, and are not paused, agree: one of the servers
   * is the master, the others replicate from it, and servers that do not run are known to be down.
   *
   * @throws IllegalStateException if they do not within 45 seconds
   */
  public void awaitSettled() {
    awaitSettled(TIMEOUT);
  }

  void awaitSettled(Duration timeout) {
    new StatePoller(poller.subject(), timeout).until("settled", () -> views().problems());
  }

  /**
   * Starts a server or a sentinel again, and waits until all are settled with it. A former master
   * becomes a replica of the one that was promoted.
   *
   * @param node the node, which may run
   * @throws IllegalStateException if it does not start, or not all are settled within 45 seconds
   */
  public void restart(ServerNode node) {
    node.server().restart();
    shortenPeriods();
    awaitSettled();
  }

  /**
   * Resumes servers and sentinels that are paused, starts any that do not run, and waits until all
   * are settled.
   *
   * @throws IllegalStateException if one does not start, or not all are settled within 45 seconds
   */
  public void recover() {
    servers.recover();
    sentinels.recover();
    shortenPeriods();
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

  /**
   * Ends all faults, lets all processes run, and empties the servers; the roles stay as they are.
   */
  void reset() {
    servers.wake();
    sentinels.wake();
    shortenPeriods();
    awaitSettled();
    master().server().command("FLUSHALL");
    servers.servers().forEach(server -> server.command("SCRIPT", "FLUSH"));
  }

  /**
   * Makes sentinels check the servers and each other more often, where their version supports that.
   */
  private void shortenPeriods() {
    for (ServerNode sentinel : sentinels.awake()) {
      if (sentinel.server().version().matches("[0-6]\\..*")) {
        return;
      }
      SHORT_PERIODS.forEach(
          (period, millis) -> sentinel.server().command("SENTINEL", "DEBUG", period, millis));
    }
  }

  private RedisServer anyAwake() {
    return sentinels.awake().stream()
        .findFirst()
        .map(ServerNode::server)
        .orElseThrow(() -> new IllegalStateException("One sentinel must run, none does"));
  }

  private SentinelViews views() {
    return new SentinelViews(servers, sentinels.awake(), MASTER_NAME);
  }
}
