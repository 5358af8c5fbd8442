// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of a store, for the documented user with all rights. */
@ExtendWith(RedisExtension.class)
class LeastPrivilegeStoreTest extends StoreOnRedis implements LockStoreContract {

  private RedisLockStore store;

  @BeforeEach
  void createStore(RedisServer server) {
    DocumentedUser user = DocumentedUser.named("app");
    user.createOn(server);
    store = storeOn(user.at(server.uri()));
  }

  @Override
  public LockStore store() {
    return store;
  }
}
