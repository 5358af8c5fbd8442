// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** The contract of a store, on a real Redis. */
@ExtendWith(RedisExtension.class)
class RedisLockStoreTest implements LockStoreContract {

  private static RedisClient client;

  private RedisLockStore store;

  @BeforeAll
  static void createClient() {
    client = RedisClient.create();
  }

  @AfterAll
  static void shutDownClient() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  @BeforeEach
  void createStore(RedisServer server) {
    store = RedisLockStore.create(client, RedisURI.create(server.uri()));
  }

  @AfterEach
  void closeStore() {
    store.close().block(Duration.ofSeconds(5));
  }

  @Override
  public LockStore store() {
    return store;
  }
}
