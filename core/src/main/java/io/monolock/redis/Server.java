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
final class Server implements Servers {

  private final Opener opener;
  private final Tracking tracking;
  private final SharedConnection work;
  private final SharedConnection wait;
  private final SharedConnection asking;
  private final ExclusiveConnections exclusive = new ExclusiveConnections();
  private final List<SharedConnection> byNumber;

  Server(Opener opener, WakeUps wakeUps) {
    this.opener = opener;
    this.tracking = new Tracking(wakeUps, this::openWait);
    this.work = new SharedConnection(opener, new MinimumVersion());
    this.wait = new SharedConnection(opener, tracking);
    this.asking = new SharedConnection(opener, new MinimumVersion());
    this.byNumber =
        Stream.generate(() -> new SharedConnection(opener, new MinimumVersion()))
            .limit(ExclusiveConnections.COUNT)
            .toList();
  }

  SharedConnection work() {
    return work;
  }

  /** For calls that were sent here by a server that has handed the keys over. */
  SharedConnection asking() {
    return asking;
  }

  /** For attempts of those who wait, who do not wait for the tracked connection. */
  SharedConnection waitIfOpen() {
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
  public ExclusiveConnections exclusive(String key) {
    return exclusive;
  }

  ExclusiveConnections exclusive() {
    return exclusive;
  }

  @Override
  public Route exclusive(String key, int number) {
    return exclusive(number);
  }

  SharedConnection exclusive(int number) {
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
    return Question.ping(work)
        .map(pong -> new StoreHealth(topology, Optional.ofNullable(tracking.works())));
  }

  @Override
  public void overdue(Duration patience) {
    exclusive.overdue(patience);
    all().forEach(connection -> connection.overdue(patience));
  }

  @Override
  public Mono<Void> close() {
    return Mono.whenDelayError(all().map(SharedConnection::close).toList());
  }

  private Stream<SharedConnection> all() {
    return Stream.concat(Stream.of(work, wait, asking), byNumber.stream());
  }
}
