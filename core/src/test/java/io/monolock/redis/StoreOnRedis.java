// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import reactor.core.publisher.Mono;

/** What tests of the store on real servers have in common: one client, stores that get closed. */
abstract class StoreOnRedis {

  static final String ALICE = "Alice-Alice-Alice-Alic";
  static final String BOB = "Bob_Bob_Bob_Bob_Bob_Bo";
  static final LockKeys A = LockKeys.of("lock:a");
  static final LockKeys B = LockKeys.of("lock:b");
  static final LockKeys AB = LockKeys.of(List.of("lock:a", "lock:b"));
  static final Duration LONG = Duration.ofSeconds(60);
  static final Duration TIMEOUT = Duration.ofSeconds(5);

  static RedisClient client;

  private final List<RedisLockStore> stores = new ArrayList<>();

  @BeforeAll
  static void createClient() {
    client = RedisClient.create();
  }

  @AfterAll
  static void shutDownClient() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  @AfterEach
  void closeStores() {
    stores.forEach(store -> store.close().block(TIMEOUT));
  }

  RedisLockStore storeOn(RedisServer server) {
    return storeOn(RedisURI.create(server.uri()));
  }

  RedisLockStore storeOn(RedisURI uri) {
    return closedAtTheEnd(RedisLockStore.create(client, uri));
  }

  RedisLockStore closedAtTheEnd(RedisLockStore store) {
    stores.add(store);
    return store;
  }

  static <T> T result(Mono<T> call) {
    return call.block(TIMEOUT);
  }

  static Grant acquire(RedisLockStore store, LockKeys keys, String token) {
    return result(store.acquire(keys, token, "", LONG, false));
  }

  static StoreFailure failure(Mono<?> call) {
    return assertThatExceptionOfType(StoreFailure.class)
        .isThrownBy(() -> call.block(TIMEOUT))
        .actual();
  }

  /** All calls that change something if {@link #ALICE} has the keys. */
  static List<Mono<?>> callsOfTheHolder(RedisLockStore store, LockKeys keys) {
    return List.of(
        store.acquire(keys, ALICE, "", LONG, false),
        store.acquire(keys, ALICE, "", LONG, true),
        store.extend(keys, ALICE, LONG),
        store.remaining(keys, ALICE),
        store.transfer(keys, ALICE, BOB, "", LONG, false),
        store.transfer(keys, BOB, ALICE, "", LONG, true),
        store.raiseFence(keys, ALICE, 1),
        store.release(keys, ALICE, LONG),
        store.release(keys, ALICE, Duration.ZERO),
        store.forceRelease(keys.asList().get(0)));
  }
}
