// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.engine.RecordingObserver;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Waiters for a key that is not theirs, on a real Redis. */
@ExtendWith(RedisExtension.class)
@Timeout(100)
class WaitersOnRedisTest {

  private static final int WAITERS = 5_000;
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofSeconds(60));
  private static final Duration SOON = Duration.ofSeconds(20);

  private final RecordingObserver observed = new RecordingObserver();
  private RedisServer server;
  private RedisClient client;
  private ReactiveLocker locker;

  @BeforeEach
  void open(RedisServer ofClass) {
    server = ofClass;
    client = RedisClient.create();
    locker =
        ReactiveLocker.builder(RedisLockStore.create(client, RedisURI.create(server.uri())))
            .observer(observed)
            .build();
    locker.withLock("warm", OPTIONS, lock -> Mono.just(1)).retry(5).block(SOON);
    observed.events.clear();
  }

  @AfterEach
  void close() {
    locker.close().block(SOON);
    client.shutdown();
  }

  @Test
  void waiterGetsAKeyWhoseForeignTtlWasOfCenturies() throws Exception {
    server.command("SET", "a", "foreign", "PX", "10000000000000");
    CompletableFuture<Lock> waiter = locker.acquire("a", OPTIONS).toFuture();
    await().atMost(SOON).until(() -> observed.count("waiting") == 1);
    server.command("DEL", "a");

    assertThat(waiter).succeedsWithin(5, TimeUnit.SECONDS);
  }

  private Disposable waiters(Duration atMost) {
    server.command("SET", "a", "foreign", "PX", "600000");
    Disposable waiters =
        Flux.range(0, WAITERS)
            .flatMap(
                i -> locker.acquire("a", OPTIONS.waitAtMost(atMost)).onErrorComplete(), WAITERS)
            .subscribe();
    await().atMost(SOON).until(() -> observed.count("waiting") == WAITERS);
    return waiters;
  }

  private long commands() {
    String stats = server.commandAsString("INFO", "stats");
    return stats
        .lines()
        .filter(line -> line.startsWith("total_commands_processed:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
        .sum();
  }

  /** Redis counts what a script calls, too; and there is an attempt a second anyway. */
  private void assertLeaveWithFewCommands(long before) {
    await().atMost(SOON).until(() -> locker.activity().isEmpty());
    assertThat(commands() - before).as("commands").isLessThanOrEqualTo(200);
  }

  @Test
  void fiveThousandCancelsCostFewCommands() {
    Disposable waiters = waiters(Duration.ofSeconds(60));
    long before = commands();
    waiters.dispose();

    assertLeaveWithFewCommands(before);
  }

  @Test
  void fiveThousandTimeoutsCostFewCommands() {
    waiters(Duration.ofSeconds(10));

    assertLeaveWithFewCommands(commands());
  }
}
