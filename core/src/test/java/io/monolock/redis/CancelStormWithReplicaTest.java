// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.monolock.store.LockStore;
import io.monolock.test.RedisServer;
import io.monolock.test.ReplicaPair;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/** The storm, with grants that wait for a replica. */
@Tag("thorough")
class CancelStormWithReplicaTest extends CancelStormTest {

  private static ReplicaPair pair;

  CancelStormWithReplicaTest() {
    super(primary());
  }

  private static RedisServer primary() {
    if (pair == null) {
      pair = ReplicaPair.start();
    }
    return pair.primary();
  }

  @AfterAll
  static void closePair() {
    pair.close();
    pair = null;
  }

  @Override
  protected LockStore store(RedisClient client) {
    return RedisLockStore.builder(client).replicas(1, Duration.ofSeconds(10)).build();
  }
}
