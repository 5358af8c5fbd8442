// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisSentinels;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of a store, on the master that Sentinels name. */
@ExtendWith(RedisExtension.class)
class SentinelStoreTest extends StoreOnRedis implements LockStoreContract {

  private RedisLockStore store;

  @BeforeEach
  void createStore(RedisSentinels sentinels) {
    store = storeOn(RedisURI.create(sentinels.uri()));
  }

  @Override
  public LockStore store() {
    return store;
  }
}
