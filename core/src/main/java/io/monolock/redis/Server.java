// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreHealth;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import reactor.core.publisher.Mono;

/**
 * One server, that has all keys or those of a part of a cluster, and two connections to it: one for
 * all the work, and one for the attempts of those who wait, which is tracked.
 */
final class Server implements Servers {

  private final Tracking tracking;
  private final SharedConnection work;
  private final SharedConnection wait;
  private final SharedConnection asking;

  Server(
      Supplier<CompletionStage<StatefulRedisConnection<String, String>>> opener, WakeUps wakeUps) {
    this.tracking = new Tracking(wakeUps, this::openWait);
    this.work = new SharedConnection(opener, new MinimumVersion());
    this.wait = new SharedConnection(opener, tracking);
    this.asking = new SharedConnection(opener, new MinimumVersion());
  }

  SharedConnection work() {
    return work;
  }

  /** For calls that were sent here by a server that has handed the keys over. */
  SharedConnection asking() {
    return asking;
  }

  /** The connection to use for a call, without waiting for the tracked one. */
  SharedConnection connection(boolean waiting) {
    return waiting && openWait() ? wait : work;
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
    return connection(waiting);
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
    return health("standalone");
  }

  /** Whether the server answers, as a part of something. */
  Mono<StoreHealth> health(String topology) {
    return Ping.over(work)
        .map(pong -> new StoreHealth(topology, Optional.ofNullable(tracking.works())));
  }

  @Override
  public void overdue(Duration patience) {
    work.overdue(patience);
    wait.overdue(patience);
    asking.overdue(patience);
  }

  @Override
  public Mono<Void> close() {
    return Mono.whenDelayError(work.close(), wait.close(), asking.close());
  }
}
