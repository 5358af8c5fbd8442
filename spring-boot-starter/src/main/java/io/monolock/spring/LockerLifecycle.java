// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring;

import io.monolock.ReactiveLocker;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.Collection;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Closes the lockers of a context and then its stores: after its web server has ended, so that
 * requests which are let finish still have their locks, and before any connection to Redis is shut
 * down.
 *
 * <p>A closed locker stays closed. So a context that is only paused, as tests do with those they
 * may need again, leaves its lockers alone.
 */
final class LockerLifecycle implements SmartLifecycle {

  /** Just below the phase in which the web server of Spring Boot stops. */
  static final int PHASE = DEFAULT_PHASE - 3 * 1024;

  private static final Logger LOG = LoggerFactory.getLogger(LockerLifecycle.class);

  private static final Duration LONGEST_END_OF_STORES = Duration.ofSeconds(5);

  private final Collection<ReactiveLocker> lockers;
  private final Collection<LockStore> stores;
  private volatile boolean running;

  LockerLifecycle(Collection<ReactiveLocker> lockers, Collection<LockStore> stores) {
    this.lockers = lockers;
    this.stores = stores;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    stop(() -> {});
  }

  /** Each locker ends its closing by itself, at the latest soon after its time for that. */
  @Override
  public void stop(Runnable callback) {
    Mono<Void> closedStores =
        each(stores, LockStore::close).timeout(LONGEST_END_OF_STORES, Mono.empty());
    Flux.concatDelayError(each(lockers, ReactiveLocker::close), closedStores)
        .doFinally(
            signal -> {
              running = false;
              callback.run();
            })
        .subscribe(nothing -> {}, e -> LOG.warn("a locker or its store could not be closed", e));
  }

  private static <T> Mono<Void> each(Collection<T> all, Function<T, Mono<Void>> close) {
    return Flux.fromIterable(all).flatMapDelayError(close, Integer.MAX_VALUE, 1).then();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public boolean isPauseable() {
    return false;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }
}
