// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem;
import io.monolock.test.Certificates;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisServer;
import io.monolock.test.ServerNode;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Locks in a cluster whose servers speak TLS only, and demand certificates. */
@Tag("thorough")
class TlsOnClusterTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(60)).waitAtMost(Duration.ofSeconds(40));
  private static final String KEY = "lock:a";

  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(RedisServer.builder().mutualTls());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static RedisClusterClient client(SslOptions.Builder ssl) {
    RedisClusterClient client =
        RedisClusterClient.create(cluster.uris().stream().map(RedisURI::create).toList());
    client.setOptions(ClusterClientOptions.builder().sslOptions(ssl.build()).build());
    return client;
  }

  private static void shutDown(RedisClusterClient client) {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  @Test
  void aLockIsHeldThroughAMigrationAndAFailOver() {
    RedisClusterClient client = client(TlsTest.showing(Certificates.ofServers()));
    ReactiveLocker locker =
        ReactiveLocker.builder(
                RedisLockStore.builder(client, RedisURI.create(cluster.uris().get(0))).build())
            .commandTimeout(LIMIT)
            .build();
    Lock lock = locker.acquire(KEY, OPTIONS.fenced(true)).block(LIMIT);
    ServerNode owner = cluster.ownerOf(KEY);
    ServerNode other =
        cluster.masters().stream().filter(node -> node != owner).findFirst().orElseThrow();

    cluster.migrate(cluster.slotOf(KEY), other);
    lock.extend(Duration.ofSeconds(70)).block(LIMIT);
    cluster.failOver(cluster.replicasOf(other).get(0));
    lock.extend(Duration.ofSeconds(80)).block(LIMIT);

    assertThat(lock.release().block(LIMIT)).isTrue();
    locker.close().block(LIMIT);
    shutDown(client);
  }

  @Test
  void aClientWithoutACertificateIsRefused() {
    RedisClusterClient client = client(TlsTest.trusting(Certificates.ofServers()));
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(client));

    LockStoreException refused =
        assertThatExceptionOfType(LockStoreException.class)
            .isThrownBy(() -> locker.tryAcquire(KEY, OPTIONS).block(LIMIT))
            .actual();
    assertThat(refused.reason()).isEqualTo(StoreProblem.Reason.PERMISSION);

    locker.close().block(LIMIT);
    shutDown(client);
  }
}
