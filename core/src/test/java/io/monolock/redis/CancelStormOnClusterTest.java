// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.store.LockStore;
import io.monolock.test.RedisCluster;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The storm, on a cluster. */
@Tag("thorough")
class CancelStormOnClusterTest extends CancelStormOnSeveral {

  private static RedisClusterClient client;

  private final RedisCluster cluster;

  CancelStormOnClusterTest(RedisCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  static void createClient(RedisCluster cluster) {
    client = RedisClusterClient.create(cluster.uris().stream().map(RedisURI::create).toList());
  }

  @AfterAll
  static void shutDownClient() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  @Override
  protected List<ServerNode> servers() {
    return cluster.masters();
  }

  @Override
  protected RedisURI server() {
    return RedisURI.create(cluster.uris().get(0));
  }

  @Override
  protected LockStore store(RedisClient unused) {
    return RedisLockStore.create(client);
  }
}
