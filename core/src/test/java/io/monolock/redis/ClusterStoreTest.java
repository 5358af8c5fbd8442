// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.test.RedisCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The contract of a store, on a cluster. */
class ClusterStoreTest extends OnCluster implements LockStoreContract {

  private RedisLockStore store;

  ClusterStoreTest(RedisCluster cluster) {
    super(cluster);
  }

  @BeforeEach
  void createStore() {
    store = RedisLockStore.create(client);
  }

  @AfterEach
  void closeStore() {
    store.close().block(LIMIT);
  }

  @Override
  public LockStore store() {
    return store;
  }
}
