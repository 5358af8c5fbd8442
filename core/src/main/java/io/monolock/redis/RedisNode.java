// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreHealth;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;

/**
 * One server, that has all keys or those of a part of a cluster, and the connections to it: one for
 * all the work, one for the attempts of those who wait, which is tracked, and some for grants that
 * wait for replicas.
 */
final class RedisNode implements Topology {

  private final ConnectionFactory opener;
  private final ClientTracking tracking;
  private final ReconnectingConnection work;
  private final ReconnectingConnection wait;
  private final ReconnectingConnection asking;
  private final ConnectionPool exclusive = new ConnectionPool();
  private final List<ReconnectingConnection> byNumber;

  RedisNode(ConnectionFactory opener, WakeUps wakeUps) {
    this.opener = opener;
    this.tracking = new ClientTracking(wakeUps, this::openWait);
    this.work = new ReconnectingConnection(opener, new VersionCheck());
    this.wait = new ReconnectingConnection(opener, tracking);
    this.asking = new ReconnectingConnection(opener, new VersionCheck());
    this.byNumber =
        Stream.generate(() -> new ReconnectingConnection(opener, new VersionCheck()))
            .limit(ConnectionPool.COUNT)
            .toList();
  }

  ReconnectingConnection work() {
    return work;
  }

  /** For calls that were sent here by a server that has handed the keys over. */
  ReconnectingConnection asking() {
    return asking;
  }

  /** For attempts of those who wait, who do not wait for the tracked connection. */
  ReconnectingConnection waitIfOpen() {
    return openWait() ? wait : work;
  }

  boolean openWait() {
    if (wait.usable() != null) {
      return true;
    }
    CompletableFuture<?> unused = wait.open();
    return false;
  }

  @Override
  public Route route(String key, boolean waiting) {
    return waiting ? waitIfOpen() : work;
  }

  @Override
  public ConnectionPool exclusive(String key) {
    return exclusive;
  }

  ConnectionPool exclusive() {
    return exclusive;
  }

  @Override
  public Route exclusive(String key, int number) {
    return exclusive(number);
  }

  ReconnectingConnection exclusive(int number) {
    return byNumber.get(number);
  }

  @Override
  public boolean openWait(String key) {
    return openWait();
  }

  @Override
  public void check(LockKeys keys, boolean fenced) {}

  @Override
  public String fence(String key) {
    return key + FenceKeys.SUFFIX;
  }

  @Override
  public Mono<StoreHealth> health() {
    return health(opener.topology());
  }

  /** Whether the server answers, as a part of something. */
  Mono<StoreHealth> health(String topology) {
    return CommandCall.ping(work)
        .map(pong -> new StoreHealth(topology, Optional.ofNullable(tracking.works())));
  }

  @Override
  public void overdue(Duration timeout) {
    exclusive.overdue(timeout);
    all().forEach(connection -> connection.overdue(timeout));
  }

  @Override
  public Mono<Void> close() {
    return Mono.whenDelayError(all().map(ReconnectingConnection::close).toList());
  }

  private Stream<ReconnectingConnection> all() {
    return Stream.concat(Stream.of(work, wait, asking), byNumber.stream());
  }
}
