// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.DroppedSignals;
import io.monolock.test.FaultProxy;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** A locker on a Redis that it reaches through a proxy; nothing may be dropped meanwhile. */
@ExtendWith({RedisExtension.class, DroppedSignals.class})
abstract class LockerBehindProxy {

  static final Duration LIMIT = Duration.ofSeconds(20);
  static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

  /** Much longer than a test, so that what is gone in time was not freed by its ttl. */
  static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(60));

  static final LockOptions ONCE = OPTIONS.waitAtMost(Duration.ZERO);

  final RedisServer server;
  FaultProxy proxy;
  RedisClient client;
  ReactiveLocker locker;

  LockerBehindProxy(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    proxy = FaultProxy.before(server);
    client = RedisClient.create(proxy.uri());
    locker = configured(ReactiveLocker.builder(RedisLockStore.create(client))).build();
    locker.withLock("warm-up", OPTIONS, lock -> Mono.empty()).block(LIMIT);
  }

  ReactiveLocker.Builder configured(ReactiveLocker.Builder builder) {
    return builder.commandTimeout(COMMAND_TIMEOUT);
  }

  @AfterEach
  void close() {
    server.resume();
    proxy.reset();
    locker.close().block(LIMIT);
    client.shutdown(0, 0, TimeUnit.SECONDS);
    proxy.close();
  }

  boolean exists(String key) {
    return server.commandAsLong("EXISTS", key) == 1;
  }

  void awaitTaken(String key) {
    await().pollInterval(Duration.ofMillis(2)).until(() -> exists(key));
  }

  void awaitFree(String key, Duration within) {
    await().pollInterval(Duration.ofMillis(5)).atMost(within).until(() -> !exists(key));
  }

  void awaitNoKeys(Duration within) {
    KeyScanner keys = KeyScanner.of(server);
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(within)
        .untilAsserted(() -> assertThat(keys.matching("*")).isEmpty());
  }
}
