// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.LockStore;
import io.monolock.test.DroppedSignals;
import io.monolock.test.FaultProxy;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One locker on a Redis that it reaches through a proxy, connected and with its scripts known there
 * when a test begins; nothing may be dropped meanwhile.
 */
@ExtendWith({RedisExtension.class, DroppedSignals.class})
abstract class LockerBehindProxy extends LockerUnderFault {

  static final Duration SOON = Duration.ofSeconds(3);

  /** So that an answer that is late is not taken for a connection that is dead. */
  static final Duration LONG_TIMEOUT = Duration.ofSeconds(5);

  final RedisServer server;
  final FaultProxy proxy;

  /** A client of the proxy, with no options of its own. */
  RedisClient client;

  ReactiveLocker locker;

  /** What came through the proxy since the test began. */
  Asked asked;

  private final Duration commandTimeout;

  LockerBehindProxy(RedisServer server) {
    this(server, COMMAND_TIMEOUT);
  }

  LockerBehindProxy(RedisServer server, Duration commandTimeout) {
    this.server = server;
    this.proxy = FaultProxy.before(server);
    this.commandTimeout = commandTimeout;
  }

  @BeforeEach
  void open() {
    open(commandTimeout);
  }

  /** In place of the present locker, one that waits longer until it takes a connection for dead. */
  void openWithLongTimeout() {
    asked.close();
    closeAll();
    open(LONG_TIMEOUT);
  }

  private void open(Duration commandTimeout) {
    client = client(null, ClientOptions.create());
    locker = built(ReactiveLocker.builder(store()).commandTimeout(commandTimeout));
    warmUp(locker);
    asked = new Asked(server);
    events.clear();
  }

  /** One more store behind the proxy. */
  LockStore store() {
    return RedisLockStore.create(client, RedisURI.create(proxy.uri()));
  }

  /** Ends all faults, and proves with it that the locker is able to end. */
  @AfterEach
  void close() {
    server.resume();
    proxy.reset();
    asked.close();
    closeAll();
    proxy.close();
  }

  boolean isFree(String key) {
    return !exists(server, key);
  }

  long pttl(String key) {
    return server.commandAsLong("PTTL", key);
  }

  void awaitTaken(String key) {
    await().pollInterval(Duration.ofMillis(2)).until(() -> !isFree(key));
  }

  void awaitFree(String key, Duration within) {
    await().pollInterval(Duration.ofMillis(5)).atMost(within).until(() -> isFree(key));
  }

  void awaitNoKeys(Duration within) {
    KeyScanner keys = KeyScanner.of(server);
    await()
        .pollInterval(Duration.ofMillis(10))
        .atMost(within)
        .untilAsserted(() -> assertThat(keys.matching("*")).isEmpty());
  }
}
