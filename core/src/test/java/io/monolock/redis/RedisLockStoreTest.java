// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of a store, on a real Redis. */
@ExtendWith(RedisExtension.class)
class RedisLockStoreTest extends StoreOnRedis implements LockStoreContract {

  private RedisLockStore store;

  @BeforeEach
  void createStore(RedisServer server) {
    store = storeOn(server);
  }

  @Override
  public LockStore store() {
    return store;
  }
}
