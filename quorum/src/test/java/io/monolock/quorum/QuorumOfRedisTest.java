// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The contract of a store, over three real servers. */
class QuorumOfRedisTest implements LockStoreContract {

  private static ThreeRedis redis;

  private QuorumLockStore store;

  @BeforeAll
  static void start() {
    redis = new ThreeRedis();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void createStore() {
    redis.reset();
    store = redis.store();
    // opens the connections, which takes longer than the shortest ttl, and at first than a limit
    store.inspect("some key").retry(20).block(Duration.ofSeconds(10));
  }

  @AfterEach
  void closeStore() {
    redis.closeStores();
  }

  @Override
  public LockStore store() {
    return store;
  }
}
