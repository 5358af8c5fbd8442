// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static io.monolock.redis.Lockers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.util.retry.Retry;

/** Pushes that bring no grant cost few attempts, and no waiter its turn. */
class PushesInVainTest {

  private static final Duration PERIOD = Duration.ofMillis(100);
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(60))
          .waitAtMost(LIMIT)
          .retry(Retry.fixedDelay(Long.MAX_VALUE, PERIOD));

  @RegisterExtension private final Lockers lockers = new Lockers();

  private static long attempts(RedisServer server) {
    return server
        .commandAsString("INFO", "commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_evalsha:"))
        .mapToLong(line -> Long.parseLong(line.replaceFirst(".*:calls=(\\d+),.*", "$1")))
        .sum();
  }

  /** Redis tracks names of keys, whatever database they are in. */
  @Test
  void aKeyOfThatNameInAnotherDatabaseIsWrittenAllTheTime() {
    RedisServer server = lockers.closing(RedisServer.start());
    ReactiveLocker locker = lockers.on(server.uri());
    ReactiveLocker other = lockers.on(server.uri());
    Lock held = get(locker.acquire("order:1", OPTIONS));
    CompletableFuture<Lock> waiter = other.acquire("order:1", OPTIONS).toFuture();
    await()
        .atMost(LIMIT)
        .until(() -> server.commandAsString("INFO", "stats").contains("tracking_total_keys:1"));
    RedisURI another = RedisURI.create(server.uri());
    another.setDatabase(1);

    long before = attempts(server);
    long begun = System.nanoTime();
    try (StatefulRedisConnection<String, String> writer = lockers.client().connect(another)) {
      while (System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(4)) {
        writer.sync().incr("order:1");
      }
    }
    long planned = (System.nanoTime() - begun) / PERIOD.toNanos() + 1;

    assertThat(attempts(server) - before).isBetween(planned / 4, WakeUps.CREDIT + 2 * planned);
    assertThat(get(held.release())).isTrue();
    assertThat(waiter).succeedsWithin(LIMIT);
  }
}
