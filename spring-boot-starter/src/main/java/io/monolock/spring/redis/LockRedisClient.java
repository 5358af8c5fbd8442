// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.resource.ClientResources;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.LockStore;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Redis client that the locks have for themselves, and the store on it.
 *
 * <p>It is not that of the application's other Redis connections: those are shut down and made anew
 * whenever the context is paused and goes on, and nothing orders that after the closing of the
 * locker. It shares their settings and their threads, which are what costs.
 */
final class LockRedisClient {

  private static final Logger LOG = LoggerFactory.getLogger(LockRedisClient.class);

  private final RedisAccess access;
  private final AbstractRedisClient client;
  private final RedisLockStore store;

  /**
   * @param keyPrefix what each key has in front of it
   */
  LockRedisClient(RedisAccess access, String keyPrefix) {
    this.access = access;
    if (access.deployment() == RedisAccess.Deployment.CLUSTER) {
      RedisClusterClient cluster = cluster(access.uris(), access.resources());
      cluster.setOptions(ofCluster(access.options()));
      this.client = cluster;
      this.store = store(RedisLockStore.builder(cluster, access.uris().get(0)), keyPrefix);
    } else {
      RedisClient one =
          access.resources() == null
              ? RedisClient.create()
              : RedisClient.create(access.resources());
      one.setOptions(access.options());
      this.client = one;
      RedisLockStore.Builder builder =
          access.uris().size() == 1
              ? RedisLockStore.builder(one, access.uris().get(0))
              : RedisLockStore.builder(one, access.uris());
      this.store = store(builder, keyPrefix);
    }
  }

  private static RedisLockStore store(RedisLockStore.Builder builder, String keyPrefix) {
    try {
      return builder.keyPrefix(keyPrefix).build();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("monolock.key-prefix: " + e.getMessage(), e);
    }
  }

  private static RedisClusterClient cluster(
      List<RedisURI> uris, @Nullable ClientResources resources) {
    return resources == null
        ? RedisClusterClient.create(uris)
        : RedisClusterClient.create(resources, uris);
  }

  private static ClusterClientOptions ofCluster(ClientOptions options) {
    return options instanceof ClusterClientOptions ready
        ? ready
        : ClusterClientOptions.builder(options).build();
  }

  RedisAccess access() {
    return access;
  }

  LockStore store() {
    return store;
  }

  /** Opens connections in the background; without Redis the application starts all the same. */
  void warmUp() {
    store.warmUp().subscribe(nothing -> {}, LockRedisClient::notWarm);
  }

  private static void notWarm(Throwable e) {
    boolean isClosed =
        e instanceof StoreFailure failure
            && failure.reason() == StoreProblem.Reason.UNAVAILABLE
            && !failure.isTransient();
    if (!isClosed) {
      LOG.warn("Redis cannot be reached yet, locks wait for it: {}", e.getMessage());
    }
  }

  /** Called by Spring, which waits for it, after the locker was closed. */
  CompletableFuture<Void> shutdown() {
    return client.shutdownAsync(0, 2, TimeUnit.SECONDS);
  }
}
