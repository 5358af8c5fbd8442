// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.redis.CancelStormOnSeveral;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.LockStore;
import io.monolock.test.RedisMasters;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** The storm, on a quorum of independent servers. */
@Tag("thorough")
class CancelStormOnQuorumTest extends CancelStormOnSeveral {

  private final RedisMasters masters;

  CancelStormOnQuorumTest(RedisMasters masters) {
    this.masters = masters;
  }

  @Override
  protected List<ServerNode> servers() {
    return masters.nodes();
  }

  @Override
  protected RedisURI server() {
    return RedisURI.create(masters.uris().get(0));
  }

  @Override
  protected LockStore store(RedisClient client) {
    QuorumLockStore store =
        QuorumLockStore.create(
            masters.uris().stream()
                .map(uri -> RedisLockStore.create(client, RedisURI.create(uri)))
                .toList(),
            Duration.ofMinutes(10));
    store.declareNew().retry(20).block();
    return store;
  }
}
