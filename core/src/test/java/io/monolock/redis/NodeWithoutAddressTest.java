// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static io.monolock.redis.Lockers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisServer;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node that came back without its files: the others go on to name it, without an address. */
class NodeWithoutAddressTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(10)).waitAtMost(Duration.ofSeconds(20));

  @RegisterExtension private final Lockers lockers = new Lockers();

  private static void loseItsFiles(ServerNode node, ServerNode other) {
    node.server().restartEmpty();
    await()
        .atMost(LIMIT)
        .until(() -> other.server().commandAsString("CLUSTER", "NODES").contains("noaddr"));
  }

  private static String keyOn(RedisCluster cluster, ServerNode node) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "order:" + i)
        .filter(key -> cluster.ownerOf(key) == node)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aReplicaWithoutAnAddressIsNoTrouble() {
    RedisCluster cluster = lockers.closing(RedisCluster.start());
    loseItsFiles(cluster.nodes().get(5), cluster.nodes().get(0));
    RedisLockStore store = RedisLockStore.create(lockers.client(cluster));
    ReactiveLocker locker = lockers.over(store);
    for (ServerNode master : cluster.masters()) {
      get(locker.acquire(keyOn(cluster, master), OPTIONS).flatMap(Lock::release));
    }

    assertThat(get(store.health()).topology()).isEqualTo("cluster");
  }

  @Test
  void aMasterWithoutAnAddressIsTroubleThatPasses() {
    RedisCluster cluster =
        lockers.closing(
            RedisCluster.start(
                RedisServer.builder().config("cluster-require-full-coverage", "no")));
    ServerNode lost = cluster.nodes().get(0);
    ServerNode left = cluster.nodes().get(1);
    String lostKey = keyOn(cluster, lost);
    String leftKey = keyOn(cluster, left);
    // its replica, which would take over
    cluster.nodes().get(3).server().kill();
    loseItsFiles(lost, left);
    ReactiveLocker locker = lockers.on(cluster);

    assertThat(get(locker.acquire(leftKey, OPTIONS).flatMap(Lock::release))).isTrue();
    assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> get(locker.tryAcquire(lostKey, OPTIONS)))
        .satisfies(
            e -> assertThat(e.reason()).isIn(Reason.SERVER_STATE, Reason.UNAVAILABLE),
            e -> assertThat(e.isTransient()).isTrue(),
            e -> assertThat(e).rootCause().isNotInstanceOf(NullPointerException.class));
  }
}
