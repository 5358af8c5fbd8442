// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.quorum.QuorumLockStore;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Monolock with its default settings, except for a longer time to wait. */
final class MonolockContender implements Contender {

  /** How it is used. */
  enum Style {
    ACQUIRE,
    SCOPE,
    FENCED,
    SHORT_TTL,
    THREE_TTLS
  }

  private static final int ATTEMPTS = 20;
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofMinutes(10));

  private final AbstractRedisClient client;
  private final ReactiveLocker locker;
  private final Style style;

  MonolockContender(AbstractRedisClient client, LockStore store, Style style) {
    this(client, ReactiveLocker.create(store), style);
  }

  private MonolockContender(AbstractRedisClient client, ReactiveLocker locker, Style style) {
    this.client = client;
    this.locker = locker;
    this.style = style;
  }

  /** On one server. */
  static Contender of(String uri, Style style) {
    RedisClient client = RedisClient.create();
    return new MonolockContender(
        client, RedisLockStore.create(client, RedisURI.create(uri)), style);
  }

  /** On one server, with signals on the threads of the connection. */
  static Contender immediate(String uri) {
    RedisClient client = RedisClient.create();
    return new MonolockContender(
        client,
        ReactiveLocker.builder(RedisLockStore.create(client, RedisURI.create(uri)))
            .publishOn(Schedulers.immediate())
            .build(),
        Style.ACQUIRE);
  }

  /** On one server, with grants that one replica has to confirm. */
  static Contender replicated(String uri) {
    RedisClient client = RedisClient.create();
    return new MonolockContender(
        client,
        RedisLockStore.builder(client, RedisURI.create(uri))
            .replicas(1, Duration.ofSeconds(1))
            .build(),
        Style.ACQUIRE);
  }

  /** On a cluster. */
  static Contender clustered(String uris) {
    RedisClusterClient client =
        RedisClusterClient.create(uris(uris).map(RedisURI::create).toList());
    return new MonolockContender(client, RedisLockStore.create(client), Style.ACQUIRE);
  }

  /** On a quorum. */
  static Contender quorum(String uris) {
    RedisClient client = RedisClient.create();
    QuorumLockStore store =
        QuorumLockStore.create(
            uris(uris).map(uri -> RedisLockStore.create(client, RedisURI.create(uri))).toList(),
            OPTIONS.ttl());
    store.declareNew().retry(ATTEMPTS).block();
    return new MonolockContender(client, store, Style.ACQUIRE);
  }

  private static Stream<String> uris(String uris) {
    return Stream.of(uris.split(","));
  }

  @Override
  public Caller caller(List<String> keys, long owner) {
    return switch (style) {
      case ACQUIRE -> new MonolockCaller(locker, keys, OPTIONS);
      case FENCED -> new MonolockCaller(locker, keys, OPTIONS.fenced(true));
      case SHORT_TTL -> new MonolockCaller(locker, keys, OPTIONS.ttl(Duration.ofMillis(300)));
      case THREE_TTLS ->
          new MonolockCaller(locker, keys, OPTIONS.ttl(Duration.ofSeconds(30 + owner % 3)));
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
    public Mono<?> acquireAndRelease(Runnable whileHeld) {
      return locker
          .acquire(keys, options)
          .flatMap(
              lock -> {
                whileHeld.run();
                return lock.release();
              });
    }

    @Override
    public Mono<Mono<?>> acquire() {
      return locker.acquire(keys, options).map(Lock::release);
    }

    @Override
    public Mono<?> hold(Runnable whenHeld) {
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
    public Mono<?> acquireAndRelease(Runnable whileHeld) {
      return caller.locker.withLock(
          caller.keys,
          caller.options,
          lock -> {
            whileHeld.run();
            return Mono.empty();
          });
    }

    @Override
    public Mono<Mono<?>> acquire() {
      return caller.acquire();
    }

    @Override
    public Mono<?> hold(Runnable whenHeld) {
      return caller.hold(whenHeld);
    }
  }
}
