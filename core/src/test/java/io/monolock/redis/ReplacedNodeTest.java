// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static io.monolock.redis.Lockers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCommandExecutionException;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisCluster;
import io.monolock.test.ServerNode;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A managed cluster replaces a node and keeps its name: a server is not its address. */
class ReplacedNodeTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(20)).waitAtMost(Duration.ofSeconds(5));

  @RegisterExtension private final Lockers lockers = new Lockers();

  /**
   * Lets a replica take the place of its master and its address. Connections that are open still
   * lead to the old node, which now says that all slots have moved to the very address.
   */
  private static void replace(RedisCluster cluster, ServerNode old, ServerNode replica) {
    old.proxy().leadTo(replica.server());
    replica.server().command("CONFIG", "SET", "cluster-announce-port", "" + old.port());
    replica.server().command("CLUSTER", "FAILOVER");
    String address = old.host() + ":" + old.port();
    await()
        .atMost(LIMIT)
        .until(() -> moved(old).endsWith(address) && cluster.masters().contains(replica));
  }

  private static String moved(ServerNode node) {
    try {
      return "" + node.server().command("GET", "order:1");
    } catch (RedisCommandExecutionException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  void locksAreHeldAndTakenWhereANodeIsReplacedBehindItsAddress() {
    RedisCluster cluster = lockers.closing(RedisCluster.startBehindProxies());
    ServerNode old = cluster.ownerOf("order:1");
    ServerNode replica = cluster.replicasOf(old).get(0);
    ReactiveLocker locker = lockers.on(cluster);
    Lock held = get(locker.acquire("order:1", OPTIONS));

    replace(cluster, old, replica);
    boolean isFree = get(lockers.on(cluster).tryAcquire("order:1", OPTIONS).hasElement());
    assertThat(isFree).as("free to a client that comes later").isFalse();

    assertThat(get(locker.acquire("{order:1}:more", OPTIONS).flatMap(Lock::release))).isTrue();
    get(held.extend(Duration.ofSeconds(30)));
    assertThat(get(held.release())).isTrue();
  }
}
