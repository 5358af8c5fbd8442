// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.store.LockStore;
import io.monolock.test.RedisSentinels;
import io.monolock.test.ServerNode;
import java.util.List;
import org.junit.jupiter.api.Tag;

/** The storm, on the master that Sentinels name. */
@Tag("thorough")
class CancelStormBehindSentinelsTest extends CancelStormOnSeveral {

  private final RedisSentinels sentinels;

  CancelStormBehindSentinelsTest(RedisSentinels sentinels) {
    this.sentinels = sentinels;
  }

  @Override
  protected List<ServerNode> servers() {
    return List.of(sentinels.master());
  }

  @Override
  protected RedisURI server() {
    return RedisURI.create(sentinels.master().uri());
  }

  @Override
  protected LockStore store(RedisClient client) {
    return RedisLockStore.create(client, RedisURI.create(sentinels.uri()));
  }
}
