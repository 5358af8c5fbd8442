// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** Two lockers, as in two processes, whose waiters try again by themselves almost never. */
@ExtendWith(RedisExtension.class)
@DisplayName("G9: waiters are woken, served in turn, and cost next to nothing")
class LineOnRedisTest {

  private static final String KEY = "hot";
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(20))
          .waitAtMost(Duration.ofSeconds(60))
          .retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofHours(1)));

  private RedisServer server;
  private RedisClient client;
  private ReactiveLocker one;
  private ReactiveLocker other;

  @BeforeEach
  void createLockers(RedisServer ofClass) {
    server = ofClass;
    client = RedisClient.create();
    one = locker();
    other = locker();
  }

  private ReactiveLocker locker() {
    return ReactiveLocker.builder(RedisLockStore.create(client, RedisURI.create(server.uri())))
        .commandTimeout(Duration.ofSeconds(20)) // a slow machine is no lost command
        .build();
  }

  @AfterEach
  void close() {
    Mono.when(one.close(), other.close()).block();
    client.shutdown();
    server.command("FLUSHALL");
  }

  private static AtomicReference<Lock> waiting(ReactiveLocker locker) {
    AtomicReference<Lock> got = new AtomicReference<>();
    locker.acquire(KEY, OPTIONS).subscribe(got::set, e -> {});
    return got;
  }

  private long info(String section, String name) {
    return server
        .commandAsString("INFO", section)
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1).trim()))
        .sum();
  }

  private long commands() {
    return info("stats", "total_commands_processed");
  }

  private void awaitTracked() {
    await().until(() -> info("stats", "tracking_total_keys") == 1);
  }

  static Stream<Arguments> waysToLoseAKey() {
    return Stream.of(
        way("a release", test -> test.held.release().block()),
        way("an operator's DEL", test -> test.server.command("DEL", KEY)),
        way("an expiry", test -> test.server.command("PEXPIRE", KEY, "50")),
        way("FLUSHALL", test -> test.server.command("FLUSHALL")),
        way(
            "a takeover that ends",
            test -> {
              test.server.command("SET", KEY, "another client", "PX", "50");
            }));
  }

  private static Arguments way(String name, Consumer<LineOnRedisTest> way) {
    return Arguments.argumentSet(name, way);
  }

  private Lock held;

  @ParameterizedTest
  @MethodSource("waysToLoseAKey")
  void theFirstOneIsWokenBy(Consumer<LineOnRedisTest> way) {
    held = one.acquire(KEY, OPTIONS).block();
    AtomicReference<Lock> got = waiting(other);
    awaitTracked();

    way.accept(this);

    await().atMost(Duration.ofSeconds(15)).until(() -> got.get() != null);
    got.get().release().block();
  }

  @Test
  @DisplayName("B114: a release right behind the refusal is not missed")
  void aReleaseRightBehindTheRefusalIsNotMissed() {
    for (int i = 0; i < 200; i++) {
      Lock lock = one.acquire(KEY, OPTIONS).block();
      AtomicReference<Lock> got = waiting(other);
      lock.release().block();
      await()
          .pollInterval(Duration.ofMillis(1))
          .atMost(Duration.ofSeconds(15))
          .until(() -> got.get() != null);
      got.get().release().block();
    }
  }

  /** Takes the lock again and again, as fast as it can. */
  private static Mono<Void> worker(
      ReactiveLocker locker, int times, LockOptions options, Runnable body) {
    return Flux.range(0, times)
        .concatMap(i -> locker.withLock(KEY, options, lock -> Mono.fromRunnable(body)), 1)
        .then();
  }

  @Test
  void handOversInOneProcessCostNextToNoCommands() {
    int workers = 64;
    int times = 50;
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger wrong = new AtomicInteger();
    Runnable body =
        () -> {
          if (inside.incrementAndGet() != 1) {
            wrong.incrementAndGet();
          }
          inside.decrementAndGet();
        };
    worker(one, 10, OPTIONS, body).block();
    long before = commands();

    Flux.range(0, workers)
        .flatMap(i -> worker(one, times, OPTIONS, body), workers)
        .blockLast(Duration.ofSeconds(60));

    assertThat(wrong).hasValue(0);
    assertThat((double) (commands() - before) / (workers * times)).isLessThan(0.1);
  }

  @Test
  void twoProcessesBothGetTheirTurns() throws InterruptedException {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger wrong = new AtomicInteger();
    List<CountDownLatch> served = List.of(new CountDownLatch(1_000), new CountDownLatch(1_000));
    List<ReactiveLocker> lockers = List.of(one, other);
    List<Disposable> workers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      CountDownLatch mine = served.get(i % 2);
      Runnable body =
          () -> {
            if (inside.incrementAndGet() != 1) {
              wrong.incrementAndGet();
            }
            inside.decrementAndGet();
            mine.countDown();
          };
      workers.add(
          worker(lockers.get(i % 2), Integer.MAX_VALUE, OPTIONS, body)
              .subscribe(nothing -> {}, e -> wrong.incrementAndGet()));
    }

    for (CountDownLatch turns : served) {
      assertThat(turns.await(60, TimeUnit.SECONDS)).isTrue();
    }
    workers.forEach(Disposable::dispose);

    assertThat(wrong).hasValue(0);
  }

  @Test
  @DisplayName("B09: a thousand waiters are no load")
  void thousandsOfWaitersSendNextToNothing() {
    held = one.acquire(KEY, OPTIONS).block();
    LockOptions usual = LockOptions.of(Duration.ofSeconds(20)).waitAtMost(Duration.ofSeconds(60));
    Flux.range(0, 1_000)
        .flatMap(i -> other.acquire(KEY, usual), 1_000)
        .subscribe(lock -> {}, e -> {});
    awaitTracked();
    long before = commands();
    long begun = System.nanoTime();

    await().pollDelay(Duration.ofSeconds(4)).until(() -> true);

    double seconds = (System.nanoTime() - begun) / 1e9;
    assertThat((commands() - before - 1) / seconds).isLessThan(6.5);
  }

  @Test
  @DisplayName("B116: a waiter is woken again after a restart")
  void aWaiterIsWokenAgainAfterALostConnection() {
    held = one.acquire(KEY, OPTIONS).block();
    AtomicReference<Lock> got = waiting(other);
    awaitTracked();

    server.command("CLIENT", "KILL", "TYPE", "normal");
    await().until(() -> info("clients", "tracking_clients") == 1);
    awaitTracked();
    held.release().block();

    await().atMost(Duration.ofSeconds(15)).until(() -> got.get() != null);
  }
}
