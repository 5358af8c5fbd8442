// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.test.RedisCluster;
import io.monolock.test.RedisServer;
import io.monolock.test.RedisSetup;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** What has to be true of the oldest Redis that locks can be kept in, as of the default one. */
@Tag("thorough")
@RedisSetup(version = "6.2")
class OldestRedisTest {

  @Nested
  class Contract extends RedisLockStoreTest {}

  @Nested
  class Storm extends CancelStormTest {
    Storm(RedisServer server) {
      super(server);
    }
  }

  @Nested
  class User extends LeastPrivilegeTest {
    User(RedisServer server) {
      super(server);
    }
  }

  @Nested
  class ContractOnCluster extends ClusterStoreTest {
    ContractOnCluster(RedisCluster cluster) {
      super(cluster);
    }
  }

  @Nested
  class LocksOnCluster extends ClusterTest {
    LocksOnCluster(RedisCluster cluster) {
      super(cluster);
    }
  }
}
