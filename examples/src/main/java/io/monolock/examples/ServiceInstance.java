// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.monolock.LockObserver;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/**
 * What one instance of a service has: a Redis client, a locker on it, and a ticket office.
 * Instances share nothing but the Redis server, so several of them in one JVM are like several
 * machines.
 */
final class ServiceInstance {

  private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(5);

  private final RedisClient client;
  private final ReactiveLocker locker;
  private final Mono<TicketOffice> office;

  /** Sets the instance up; it connects at its first use. */
  ServiceInstance(RedisURI redis, SalePlan plan, LockObserver observer) {
    client = RedisClient.create(redis);
    locker =
        ReactiveLocker.builder(RedisLockStore.create(client, redis)).observer(observer).build();
    office =
        Mono.fromCompletionStage(() -> client.connectAsync(StringCodec.UTF8, redis))
            .doOnNext(connection -> connection.setTimeout(COMMAND_TIMEOUT))
            .map(connection -> new TicketOffice(connection.reactive(), locker, plan))
            .cache();
  }

  /** Its ticket office, once it is connected to Redis. */
  Mono<TicketOffice> office() {
    return office;
  }

  /** Closes the locker, which releases what it still holds, and then all connections. */
  Mono<Void> stop() {
    return locker.close().then(Mono.fromFuture(() -> client.shutdownAsync(0, 2, TimeUnit.SECONDS)));
  }
}
