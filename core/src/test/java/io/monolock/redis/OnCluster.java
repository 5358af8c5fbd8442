// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisExtension;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/**
 * What tests on a cluster have in common: lockers on it that get closed, and which node has which
 * key.
 */
@ExtendWith(RedisExtension.class)
abstract class OnCluster {

  static final Duration LIMIT = Duration.ofSeconds(60);
  static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(20)).waitAtMost(Duration.ofSeconds(40));

  final RedisCluster cluster;
  private final List<ReactiveLocker> lockers = new ArrayList<>();
  RedisClusterClient client;

  OnCluster(RedisCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeEach
  void createClient() {
    client = RedisClusterClient.create(cluster.uris().stream().map(this::seed).toList());
  }

  /** How the client connects to a node. */
  RedisURI seed(String uri) {
    RedisURI seed = RedisURI.create(uri);
    seed.setTimeout(Duration.ofSeconds(5));
    return seed;
  }

  @AfterEach
  void closeAll() {
    lockers.forEach(locker -> locker.close().block(LIMIT));
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  /** Another locker, as another process would have it. */
  ReactiveLocker locker() {
    ReactiveLocker locker = ReactiveLocker.create(storeOn(client));
    lockers.add(locker);
    return locker;
  }

  RedisLockStore storeOn(RedisClusterClient client) {
    return RedisLockStore.builder(client, seed(cluster.uris().get(0))).build();
  }

  static <T> T get(Mono<T> mono) {
    return mono.block(LIMIT);
  }

  Lock lock(ReactiveLocker locker, String key) {
    return get(locker.acquire(key, OPTIONS));
  }

  /** A master that does not own the slot of a key. */
  ServerNode otherThanOwnerOf(String key) {
    ServerNode owner = cluster.ownerOf(key);
    return cluster.masters().stream().filter(node -> node != owner).findFirst().orElseThrow();
  }

  ServerNode replicaOfOwnerOf(String key) {
    return cluster.replicasOf(cluster.ownerOf(key)).get(0);
  }

  boolean isFree(String key) {
    return cluster.masters().stream().allMatch(node -> existsOn(node, key) == 0);
  }

  /** Also while another node has the slot. */
  static long existsOn(ServerNode node, String key) {
    return node.server().commandAsLong("CLUSTER", "COUNTKEYSINSLOT", "" + HashSlots.of(key));
  }

  void awaitFree(String key) {
    await().atMost(LIMIT).until(() -> isFree(key));
  }
}
