// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A primary and its replica, between which replication can be cut and whose roles can change.
 *
 * <p>The replica connects through a {@link FaultProxy}, as does the primary once it has become a
 * replica; clients connect to the servers themselves. Methods block until what they say is true,
 * for 15 seconds at most, and then throw {@link IllegalStateException}.
 */
public final class ReplicaPair implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(3);

  private ProxiedServer primary;
  private ProxiedServer replica;

  private record ProxiedServer(RedisServer server, FaultProxy proxy) implements AutoCloseable {

    static ProxiedServer start(RedisServer.Builder builder) {
      RedisServer server = builder.start();
      FaultProxy proxy = FaultProxy.before(server);
      // the address that a failover gives to the other server
      server.command("CONFIG", "SET", "replica-announce-ip", proxy.host());
      server.command("CONFIG", "SET", "replica-announce-port", "" + proxy.port());
      return new ProxiedServer(server, proxy);
    }

    void follow(ProxiedServer other) {
      server.command("REPLICAOF", other.proxy.host(), "" + other.proxy.port());
    }

    /** A field of {@code INFO replication}, the empty text if there is none. */
    String info(String field) {
      return Info.field(server, "INFO replication", field);
    }

    @Override
    public void close() {
      proxy.close();
      server.close();
    }
  }

  private ReplicaPair(ProxiedServer primary, ProxiedServer replica) {
    this.primary = primary;
    this.replica = replica;
  }

  /**
   * Starts two servers with the default settings, the second a replica of the first and in sync.
   *
   * @return the pair
   */
  public static ReplicaPair start() {
    return start(RedisServer.builder());
  }

  /**
   * Starts two servers of a kind, the second a replica of the first and in sync.
   *
   * @param builder the settings of both; its port must be the default; gains settings that make the
   *     first synchronisation quick
   * @return the pair
   */
  public static ReplicaPair start(RedisServer.Builder builder) {
    builder.config("repl-diskless-sync-delay", "0");
    ProxiedServer primary = ProxiedServer.start(builder);
    ReplicaPair pair = new ReplicaPair(primary, ProxiedServer.start(builder));
    pair.replica.follow(primary);
    pair.awaitInSync();
    return pair;
  }

  /**
   * The server that is the primary, or was promoted last.
   *
   * @return the server
   */
  public synchronized RedisServer primary() {
    return primary.server();
  }

  /**
   * The other server.
   *
   * @return the server
   */
  public synchronized RedisServer replica() {
    return replica.server();
  }

  /** Waits until the replica has all that the primary had when this method was called. */
  public synchronized void awaitInSync() {
    long offset = Long.parseLong(primary.info("master_repl_offset"));
    ProxiedServer follower = replica;
    await(
        "in sync",
        () ->
            follower.info("master_link_status").equals("up")
                && Long.parseLong(follower.info("slave_repl_offset")) >= offset);
  }

  /**
   * Cuts the replication: the replica keeps its data and receives no more, until {@link
   * #mendReplication()}.
   */
  public synchronized void cutReplication() {
    for (ProxiedServer server : new ProxiedServer[] {primary, replica}) {
      server.proxy().refuse();
      server.proxy().cut();
    }
    if (replica.info("role").equals("slave")) {
      await("cut", () -> replica.info("master_link_status").equals("down"));
    }
  }

  /** Lets the replica connect again and waits until it is in sync; Redis tries once a second. */
  public synchronized void mendReplication() {
    primary.proxy().accept();
    replica.proxy().accept();
    if (replica.info("role").equals("slave")) {
      awaitInSync();
    }
  }

  /**
   * Makes the replica a primary, with what it has got until now, and {@link #primary()} and {@link
   * #replica()} change places. The former primary is not informed: it still takes writes, until
   * {@link #rejoin()}, which discards them.
   */
  public synchronized void promote() {
    replica.server().command("REPLICAOF", "NO", "ONE");
    changePlaces();
  }

  /**
   * Makes the former primary a replica of the promoted one and waits until it is in sync; what only
   * it has is gone. Its clients stay connected; only errors show them that it is a replica now.
   */
  public synchronized void rejoin() {
    replica.follow(primary);
    awaitInSync();
  }

  /**
   * Changes the roles in an orderly way, with {@code FAILOVER}: nothing is lost, and clients stay
   * connected to what is now a replica. The replication must not be cut.
   */
  public synchronized void failOver() {
    awaitInSync();
    primary.server().command("FAILOVER");
    await("failed over", () -> replica.info("role").equals("master"));
    changePlaces();
    await("replica", () -> replica.info("role").equals("slave"));
    awaitInSync();
  }

  /** Ends both servers and their proxies. Closing again does nothing. */
  @Override
  public synchronized void close() {
    primary.close();
    replica.close();
  }

  private void changePlaces() {
    ProxiedServer promoted = replica;
    replica = primary;
    primary = promoted;
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("The pair must be " + what + " within " + TIMEOUT);
      }
      LockSupport.parkNanos(POLL_INTERVAL.toNanos());
    }
  }
}
