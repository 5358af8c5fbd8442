// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.RedisClient;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The Redis client that the locks have for themselves.
 *
 * <p>It is not that of the application's other Redis connections: those are shut down and made anew
 * whenever the context is paused and goes on, and nothing orders that after the closing of the
 * locker. It shares their settings and their threads, which are what costs.
 */
final class LockRedisClient {

  private final RedisAccess access;
  private final RedisClient client;

  LockRedisClient(RedisAccess access) {
    this.access = access;
    this.client =
        access.resources() == null ? RedisClient.create() : RedisClient.create(access.resources());
    client.setOptions(access.options());
  }

  RedisAccess access() {
    return access;
  }

  LockStore store() {
    return RedisLockStore.create(client, access.uri());
  }

  /** Called by Spring, which waits for it, after the locker was closed. */
  CompletableFuture<Void> shutdown() {
    return client.shutdownAsync(0, 2, TimeUnit.SECONDS);
  }
}
