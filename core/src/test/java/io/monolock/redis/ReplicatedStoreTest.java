// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import io.monolock.test.ReplicaPair;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** The contract of a store whose grants wait for a replica. */
class ReplicatedStoreTest extends StoreOnRedis implements LockStoreContract {

  private static ReplicaPair pair;

  private RedisLockStore store;

  @BeforeAll
  static void startPair() {
    pair = ReplicaPair.start();
  }

  @AfterAll
  static void closePair() {
    pair.close();
  }

  @BeforeEach
  void createStore() {
    pair.primary().command("FLUSHALL");
    store =
        closedAtTheEnd(
            RedisLockStore.builder(
                    client,
                    Stream.of(pair.primary(), pair.replica())
                        .map(server -> RedisURI.create(server.uri()))
                        .toList())
                .replicas(1, Duration.ofSeconds(10))
                .build());
  }

  @Override
  public LockStore store() {
    return store;
  }
}
