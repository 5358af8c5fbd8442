// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** A connection that is dead without a sign is given up, and what it may have taken is freed. */
@ExtendWith(RedisExtension.class)
class MuteConnectionTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final Duration TTL = Duration.ofSeconds(30);
  private static final LockOptions ONCE = LockOptions.of(TTL).waitAtMost(Duration.ZERO);

  private final RedisServer server;
  private FaultProxy proxy;
  private RedisClient client;
  private ReactiveLocker locker;

  MuteConnectionTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    proxy = FaultProxy.before(server);
    client = RedisClient.create(proxy.uri());
    locker =
        ReactiveLocker.builder(RedisLockStore.create(client))
            .commandTimeout(Duration.ofMillis(200))
            .build();
    locker.withLock("warm-up", LockOptions.of(TTL), lock -> Mono.empty()).block(LIMIT);
  }

  @AfterEach
  void close() {
    proxy.reset();
    locker.close().block(LIMIT);
    client.shutdown(0, 0, TimeUnit.SECONDS);
    proxy.close();
  }

  @Test
  @DisplayName("B04: granted but never answered, the key is free soon after, not after its ttl")
  void lostGrantIsFreed() {
    proxy.dropReplies(true);

    assertThatThrownBy(() -> locker.acquire("key", ONCE).block(LIMIT))
        .isInstanceOfSatisfying(
            LockStoreException.class,
            e -> assertThat(e.reason()).isEqualTo(StoreProblem.Reason.UNKNOWN_OUTCOME));
    assertThat(server.commandAsLong("EXISTS", "key")).isEqualTo(1);
    proxy.dropReplies(false);

    await()
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(() -> assertThat(server.commandAsLong("EXISTS", "key")).isZero());
  }

  @Test
  @DisplayName(
      "B101: a host that vanishes without a sign is noticed, and calls work when it is back")
  void blackHoleIsSurvived() {
    proxy.blackHole(true);
    assertThatThrownBy(() -> locker.acquire("key", ONCE).block(LIMIT))
        .isInstanceOf(LockStoreException.class);
    proxy.blackHole(false);

    Lock lock =
        locker.acquire("key", LockOptions.of(TTL).waitAtMost(Duration.ofSeconds(10))).block(LIMIT);

    assertThat(lock.isValid()).isTrue();
    assertThat(lock.release().block(LIMIT)).isTrue();
  }

  @Test
  @DisplayName("B101: a mute connection is given up although it still seems open")
  void muteConnectionIsGivenUp() {
    long before = proxy.accepted();
    proxy.blackHole(true);

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> locker.acquire("key", ONCE).block(LIMIT))
          .isInstanceOf(LockStoreException.class);
    }

    await().atMost(LIMIT).until(() -> proxy.accepted() > before);
  }

  @Test
  @DisplayName(
      "B101: nor does a connection that was being opened into a black hole stay in the way")
  void blackHoleWhileConnectingIsSurvived() {
    proxy.blackHole(true);
    proxy.cut();
    assertThatThrownBy(() -> locker.acquire("key", ONCE).block(LIMIT))
        .isInstanceOf(LockStoreException.class);
    proxy.blackHole(false);

    Lock lock =
        locker.acquire("key", LockOptions.of(TTL).waitAtMost(Duration.ofSeconds(5))).block(LIMIT);

    assertThat(lock.release().block(LIMIT)).isTrue();
  }
}
