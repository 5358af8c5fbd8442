// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.redis.ReconnectingConnection.SetUp;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreHealth;
import java.time.Duration;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * One server, which has all keys or is a master of a cluster, and the connections to it: one for
 * all calls; a tracked one for the attempts of waiters; one for grants that wait for replicas; and
 * two for calls, and such grants, that a cluster redirected with {@code ASK}.
 */
final class RedisNode implements Topology {

  /** What the key of the fencing numbers of a lock key has behind it. */
  static final String FENCE = ":fence";

  private final ConnectionFactory factory;
  private final ClientTracking tracking;
  private final ReconnectingConnection work;
  private final ReconnectingConnection wait;
  private final ReconnectingConnection asking;
  private final ReconnectingConnection grants;
  private final ReconnectingConnection askingGrants;

  RedisNode(ConnectionFactory factory, VersionCheck versionCheck, WakeUps wakeUps) {
    this.factory = factory;
    this.tracking = new ClientTracking(wakeUps, this::openWait);
    this.work = new ReconnectingConnection(factory, versionCheck);
    this.wait = new ReconnectingConnection(factory, tracking);
    this.asking = new ReconnectingConnection(factory, versionCheck);
    SetUp replicasCheck =
        connection ->
            versionCheck.prepare(connection).thenCompose(any -> Replicas.permitted(connection));
    this.grants = new ReconnectingConnection(factory, replicasCheck);
    this.askingGrants = new ReconnectingConnection(factory, replicasCheck);
  }

  ReconnectingConnection work() {
    return work;
  }

  /** For calls that another master redirected here while it hands a slot over. */
  ReconnectingConnection asking() {
    return asking;
  }

  /** For a waiter's attempt, which does not wait until the tracked connection is open. */
  ReconnectingConnection waitIfOpen() {
    return openWait() ? wait : work;
  }

  boolean openWait() {
    if (wait.usable() != null) {
      return true;
    }
    Awaited<?> unused = wait.awaited();
    return false;
  }

  @Override
  public Route route(String key, boolean waiting) {
    return waiting ? waitIfOpen() : work;
  }

  @Override
  public Route grants(String key) {
    return grants;
  }

  ReconnectingConnection grants() {
    return grants;
  }

  /** As {@link #asking}, for grants that wait for replicas. */
  ReconnectingConnection askingGrants() {
    return askingGrants;
  }

  @Override
  public boolean openWait(String key) {
    return openWait();
  }

  @Override
  public void check(LockKeys keys, UnaryOperator<String> name, boolean fenced) {}

  @Override
  public String fence(String key) {
    return key + FENCE;
  }

  @Override
  public Mono<Void> warmUp(boolean replicated) {
    Mono<PipelinedConnection> first = CommandCall.opened(work);
    return replicated ? Mono.when(first, CommandCall.opened(grants)) : first.then();
  }

  @Override
  public Mono<StoreHealth> health() {
    return health(factory.topology());
  }

  /** Whether the server answers, as part of a topology of that name. */
  Mono<StoreHealth> health(String topology) {
    return CommandCall.ping(work)
        .map(pong -> new StoreHealth(topology, Optional.ofNullable(tracking.works())));
  }

  /**
   * Leaves a server that no longer is the one to be found at its address, unless that was done
   * since the connection was opened.
   */
  void leave(PipelinedConnection connection) {
    if (connection.isOpen()) {
      connection.retire();
      all().forEach(ReconnectingConnection::retire);
    }
  }

  @Override
  public void overdue(Duration timeout) {
    all().forEach(connection -> connection.overdue(timeout));
  }

  @Override
  public Mono<Void> close() {
    return Mono.whenDelayError(all().map(ReconnectingConnection::close).toList());
  }

  private Stream<ReconnectingConnection> all() {
    return Stream.of(work, wait, asking, grants, askingGrants);
  }
}
