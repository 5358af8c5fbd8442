// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static io.monolock.redis.Lockers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisExtension;
import io.monolock.test.ServerNode;
import io.monolock.test.SlotMigration;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a holder is told of a hash slot that moves. */
@ExtendWith(RedisExtension.class)
class ClusterTroubleTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(4)).waitAtMost(Duration.ofSeconds(20));

  private final RedisCluster cluster;

  @RegisterExtension private final Lockers lockers = new Lockers();

  ClusterTroubleTest(RedisCluster cluster) {
    this.cluster = cluster;
  }

  @Test
  void aHolderWhoseSlotIsHalfMovedIsNotToldThatTheServerIsUnreachable() {
    ReactiveLocker locker = lockers.on(cluster);
    get(locker.acquire("{order}:0", OPTIONS));
    Lock lock = get(locker.acquire(List.of("{order}:1", "{order}:2"), OPTIONS));
    ServerNode owner = cluster.ownerOf("{order}");
    ServerNode other =
        cluster.masters().stream().filter(node -> node != owner).findFirst().orElseThrow();

    SlotMigration migration = cluster.beginMigration(cluster.slotOf("{order}"), other);
    migration.moveKey("{order}:1");

    assertThatExceptionOfType(LockLostException.class)
        .isThrownBy(() -> lock.keepAlive().block(LIMIT))
        .satisfies(
            e ->
                assertThat(e.reason())
                    .as(e.getMessage())
                    .isEqualTo(LockLostException.Reason.REFUSED));
  }
}
