// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.LockLostException.Reason;
import io.monolock.LockObserver;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.DelegatingLockStore;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

@Tag("thorough")
@ExtendWith(RedisExtension.class)
class RefreshAtScaleTest {

  private static final int LOCKS = 20_000;
  private static final Duration TTL = Duration.ofSeconds(20);
  private static final Duration LIMIT = Duration.ofSeconds(100);

  private final AtomicInteger held = new AtomicInteger();
  private final AtomicInteger lost = new AtomicInteger();
  private final Map<Long, AtomicInteger> refreshes = new ConcurrentHashMap<>();

  private final AtomicInteger refreshed = new AtomicInteger();

  private final LockObserver observer =
      new LockObserver() {
        @Override
        public void refreshed(long id, Set<String> keys) {
          refreshed.incrementAndGet();
        }

        @Override
        public void lost(long id, Set<String> keys, Reason reason) {
          lost.incrementAndGet();
        }
      };

  @Test
  @Timeout(300)
  @DisplayName("B11: 20,000 locks on a slow network are all refreshed, and not all at once")
  void manyLocksAreKeptAlive(RedisServer server) {
    try (FaultProxy proxy = FaultProxy.before(server)) {
      proxy.delayReplies(Duration.ofMillis(50));
      RedisClient client = RedisClient.create();
      ReactiveLocker locker =
          ReactiveLocker.builder(
                  counting(RedisLockStore.create(client, RedisURI.create(proxy.uri()))))
              .observer(observer)
              .commandTimeout(TTL) // all are acquired at once, however slow the machine is
              .build();
      try {
        for (int i = 0; i < LOCKS; i++) {
          locker
              .withLock("lock:" + i, LockOptions.of(TTL), lock -> holding())
              .subscribe(any -> {}, e -> lost.incrementAndGet());
        }
        await().atMost(LIMIT).until(() -> held.get() == LOCKS);

        await().atMost(LIMIT).until(() -> refreshed.get() > 3 * LOCKS);

        assertThat(lost).hasValue(0);
        int busiest = refreshes.values().stream().mapToInt(AtomicInteger::get).max().orElse(0);
        assertThat(busiest).isLessThan(LOCKS / 2);
      } finally {
        locker.close().block(LIMIT);
        client.shutdown();
      }
    }
  }

  /** Counts refreshes when they are sent: a busy machine tells of them in heaps. */
  private LockStore counting(LockStore store) {
    return new DelegatingLockStore(store) {
      @Override
      public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
        return Mono.defer(
            () -> {
              long tenths = System.nanoTime() / TimeUnit.MILLISECONDS.toNanos(100);
              refreshes.computeIfAbsent(tenths, any -> new AtomicInteger()).incrementAndGet();
              return super.extend(keys, token, ttl);
            });
      }
    };
  }

  private Mono<Void> holding() {
    held.incrementAndGet();
    return Mono.never();
  }
}
