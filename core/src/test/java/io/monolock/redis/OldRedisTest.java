// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** A Redis that lacks what 6.2 brought is refused before it takes a lock that it cannot free. */
class OldRedisTest extends StoreOnRedis {

  private static RedisServer old;

  private RedisLockStore store;

  @BeforeAll
  static void start() {
    old = RedisServer.builder().config("rename-command", "GETEX \"\"").start();
  }

  @AfterAll
  static void stop() {
    old.close();
  }

  @BeforeEach
  void createStore() {
    old.command("FLUSHALL");
    store = storeOn(old);
  }

  private static void assertRefused(Mono<?> call) {
    StoreFailure refused = failure(call);
    assertThat(refused.reason()).isEqualTo(Reason.PERMISSION);
    assertThat(refused.isTransient()).isFalse();
    assertThat(refused).hasMessageContaining("it must be version 6.2 or newer");
  }

  @Test
  void firstAcquisitionIsRefusedAndTakesNothing() {
    assertRefused(store.acquire(A, ALICE, "", LONG, false));

    assertThat(old.command("KEYS", "*")).isEqualTo(List.of());
  }

  @Test
  void everyCallIsRefused() {
    for (Mono<?> call : callsOfTheHolder(store, AB)) {
      assertRefused(call);
    }
    assertThat(old.command("KEYS", "*")).isEqualTo(List.of());
  }

  @Test
  void aCallThatWouldWaitFailsAtOnce() {
    old.command("SET", "lock:a", BOB, "PX", "60000");
    ReactiveLocker locker = ReactiveLocker.create(store);
    LockOptions options = LockOptions.of(LONG).waitAtMost(LONG);

    assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> locker.acquire("lock:a", options).block(Duration.ofSeconds(30)))
        .withMessageContaining("it must be version 6.2 or newer")
        .matches(refused -> refused.reason() == StoreProblem.Reason.PERMISSION);
    locker.close().block(TIMEOUT);
  }
}
