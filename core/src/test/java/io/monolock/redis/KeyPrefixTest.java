// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static io.monolock.redis.Lockers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.util.retry.Retry;

/** A text in front of each key in Redis, of which callers see nothing. */
class KeyPrefixTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(60)).waitAtMost(Duration.ZERO);

  @RegisterExtension private final Lockers lockers = new Lockers();

  private RedisLockStore.Builder builder(RedisServer server) {
    return RedisLockStore.builder(lockers.client(), RedisURI.create(server.uri()));
  }

  private static Set<String> keys(RedisServer server) {
    Set<String> keys = new TreeSet<>();
    ((List<?>) server.command("KEYS", "*")).forEach(key -> keys.add(String.valueOf(key)));
    return keys;
  }

  @Test
  void everyKeyInRedisHasItAndNoneThatACallerSees() {
    RedisServer server = lockers.closing(RedisServer.start());
    RedisLockStore store = builder(server).keyPrefix("lock:").build();
    ReactiveLocker locker = lockers.over(store);
    server.command("SET", "order:1", "data of an application");

    Lock lock = get(locker.acquire(List.of("order:1", "order:2"), OPTIONS.fenced(true)));

    assertThat(lock.keys()).containsExactly("order:1", "order:2");
    get(store.declareNew());
    assertThat(keys(server))
        .containsExactlyInAnyOrder(
            "order:1",
            "lock:order:1",
            "lock:order:1:fence",
            "lock:order:2",
            "lock:order:2:fence",
            "lock:monolock:beginning");
    Holder holder = get(locker.inspect("order:1"));
    assertThat(holder.key()).isEqualTo("order:1");
    assertThat(holder.isLock()).isTrue();
    assertThatExceptionOfType(LockNotAcquiredException.class)
        .isThrownBy(() -> get(locker.acquire("order:2", OPTIONS)))
        .satisfies(e -> assertThat(e.getMessage()).contains("[order:2]").doesNotContain("lock:"));
    get(lock.extend(Duration.ofMinutes(2)));
    assertThat(get(lock.ttl())).isGreaterThan(Duration.ofMinutes(1));
    assertThat(get(locker.forceRelease("order:1"))).isTrue();
    assertThat(keys(server)).contains("order:1").doesNotContain("lock:order:1");
  }

  @Test
  void aWaiterIsWokenByAnyClientThatFreesTheKey() {
    RedisServer server = lockers.closing(RedisServer.start());
    ReactiveLocker locker = lockers.over(builder(server).keyPrefix("lock:").build());
    server.command("SET", "lock:order:1", "held by a client in another language", "PX", "60000");
    LockOptions patient =
        OPTIONS
            .waitAtMost(Duration.ofSeconds(50))
            .retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofSeconds(50)));
    CompletableFuture<Lock> waiter = locker.acquire("order:1", patient).toFuture();
    await()
        .atMost(LIMIT)
        .until(() -> server.commandAsString("INFO", "clients").contains("tracking_clients:1"));
    await()
        .atMost(LIMIT)
        .until(() -> server.commandAsString("INFO", "stats").contains("tracking_total_keys:1"));

    server.command("DEL", "lock:order:1");

    assertThat(waiter).succeedsWithin(LIMIT);
  }

  @Test
  void inAClusterItDecidesOnNoSlotOfItsOwn() {
    RedisCluster cluster = lockers.closing(RedisCluster.start());
    RedisLockStore store =
        RedisLockStore.builder(lockers.client(cluster)).keyPrefix("lock:").build();
    ReactiveLocker locker = lockers.over(store);

    Lock one = get(locker.acquire("order:1", OPTIONS.fenced(true)));
    Lock two = get(locker.acquire(List.of("{order}:1", "{order}:2"), OPTIONS.fenced(true)));

    assertThat(get(one.release())).isTrue();
    assertThat(get(two.release())).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> store.check(LockKeys.of(List.of("a", "b")), false))
        .withMessageContaining("a in slot")
        .withMessageNotContainingAny("lock:a");
  }

  @Test
  void aPrefixWithABraceIsRefusedAndItCountsTowardsTheLengthOfAKey() {
    RedisServer server = lockers.closing(RedisServer.start());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder(server).keyPrefix("{lock}:"))
        .withMessageContaining("brace");
    RedisLockStore store = lockers.store(builder(server).keyPrefix("lock:").build());
    LockKeys longest = LockKeys.of("x".repeat(LockKeys.MAX_KEY_BYTES));

    assertThatIllegalArgumentException().isThrownBy(() -> store.check(longest, false));
  }
}
