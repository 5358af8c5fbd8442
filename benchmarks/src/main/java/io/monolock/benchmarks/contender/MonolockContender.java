// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import java.time.Duration;
import java.util.List;
import reactor.core.publisher.Mono;

/** Monolock with its default settings, except that waiters have time. */
final class MonolockContender implements Contender {

  /** How it is used. */
  enum Style {
    ACQUIRE,
    SCOPE,
    FENCED
  }

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofMinutes(10));

  private final RedisClient client;
  private final ReactiveLocker locker;
  private final Style style;

  MonolockContender(String uri, Style style) {
    this.style = style;
    client = RedisClient.create();
    locker = ReactiveLocker.create(RedisLockStore.create(client, RedisURI.create(uri)));
  }

  @Override
  public Caller caller(List<String> keys, long owner) {
    return switch (style) {
      case ACQUIRE -> new MonolockCaller(locker, keys, OPTIONS);
      case FENCED -> new MonolockCaller(locker, keys, OPTIONS.fenced(true));
      case SCOPE -> new ScopeCaller(new MonolockCaller(locker, keys, OPTIONS));
    };
  }

  @Override
  public void close() {
    locker.close().block();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private record MonolockCaller(ReactiveLocker locker, List<String> keys, LockOptions options)
      implements Caller {

    @Override
    public Mono<?> turn(Runnable whileHeld) {
      return locker
          .acquire(keys, options)
          .flatMap(
              lock -> {
                whileHeld.run();
                return lock.release();
              });
    }

    @Override
    public Mono<Mono<?>> take() {
      return locker.acquire(keys, options).map(Lock::release);
    }

    @Override
    public Mono<?> keep(Runnable whenHeld) {
      return locker.withLock(
          keys,
          options,
          lock -> {
            whenHeld.run();
            return Mono.never();
          });
    }
  }

  private record ScopeCaller(MonolockCaller caller) implements Caller {

    @Override
    public Mono<?> turn(Runnable whileHeld) {
      return caller.locker.withLock(
          caller.keys,
          caller.options,
          lock -> {
            whileHeld.run();
            return Mono.empty();
          });
    }

    @Override
    public Mono<Mono<?>> take() {
      return caller.take();
    }

    @Override
    public Mono<?> keep(Runnable whenHeld) {
      return caller.keep(whenHeld);
    }
  }
}
