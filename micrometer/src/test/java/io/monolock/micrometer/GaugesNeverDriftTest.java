// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.StoreProblem;
import io.monolock.test.CapturedLog;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Whatever becomes of thousands of acquisitions in a real locker on real threads, in the end the
 * gauges are at zero, no observation is open, and nothing of them is left.
 */
class GaugesNeverDriftTest {

  private static final int ACQUISITIONS = 6_000;
  private static final int AT_ONCE = 60;
  private static final int KEYS = 12;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final MeterRegistry registry = new SimpleMeterRegistry();
  private final OpenObservations observations = new OpenObservations();
  private final FaultyStore store = new FaultyStore(InMemoryLockStore.create());
  private final MicrometerLockObserver observer =
      MicrometerLockObserver.builder(registry)
          .keyGroup(keys -> "group" + keys.iterator().next().length())
          .observations(observations.registry)
          .build();
  private final ReactiveLocker locker =
      ReactiveLocker.builder(store)
          .observer(observer)
          .commandTimeout(Duration.ofMillis(50))
          .closeTimeout(Duration.ofMillis(300))
          .build();

  /** Failures are logged as warnings, of which there are many here. */
  private final CapturedLog quiet = new CapturedLog();

  /** What a caller does with a lock. */
  private enum Usage {
    WORK,
    TRY,
    CANCEL_SOON,
    CANCEL_LATE,
    GIVE_UP,
    LOSE,
    DROP,
    BURST
  }

  private final Map<Usage, AtomicInteger> done = new EnumMap<>(Usage.class);

  private static int upTo(int most) {
    return ThreadLocalRandom.current().nextInt(most);
  }

  private static Duration millis(int most) {
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most * 1_000_000L + 1));
  }

  private Mono<?> randomUsage() {
    Usage usage = Usage.values()[upTo(Usage.values().length)];
    done.computeIfAbsent(usage, any -> new AtomicInteger()).incrementAndGet();
    String key = "k".repeat(1 + upTo(KEYS));
    LockOptions options = LockOptions.of(Duration.ofMillis(200)).waitAtMost(Duration.ofSeconds(2));
    return switch (usage) {
      case WORK -> locker.withLock(key, options, lock -> Mono.delay(millis(2)));
      case TRY -> locker.tryAcquire(key, options).flatMap(Lock::release);
      case CANCEL_SOON ->
          Mono.firstWithSignal(
              locker.withLock(key, options, lock -> Mono.never()), Mono.delay(millis(1)));
      case CANCEL_LATE ->
          Mono.firstWithSignal(
              locker.withLock(key, options, lock -> Mono.never()), Mono.delay(millis(30)));
      case GIVE_UP ->
          locker.withLock(
              key, options.waitAtMost(millis(4)), lock -> Mono.delay(Duration.ofMillis(3)));
      case LOSE ->
          locker.withLock(
              key,
              options.ttl(Duration.ofMillis(20)).autoRefresh(upTo(2) == 0),
              lock -> locker.forceRelease(key).then(Mono.delay(Duration.ofMillis(40))));
      case DROP -> locker.acquire(key, options.ttl(Duration.ofMillis(15)));
      case BURST ->
          Flux.range(0, 4).flatMap(i -> locker.withLock(key, options, lock -> Mono.just(i))).next();
    };
  }

  /** Some calls fail, some answer late, some never. */
  private void makeTheStoreFail() {
    FaultyStore.Handling handling =
        new FaultyStore.Handling() {
          @Override
          public <T> Mono<T> apply(Mono<T> call) {
            int random = upTo(60);
            if (random == 0) {
              return FaultyStore.fails(StoreProblem.Reason.SERVER_STATE, true).apply(call);
            } else if (random == 1) {
              return FaultyStore.fails(StoreProblem.Reason.PERMISSION, false).apply(call);
            } else if (random == 2) {
              return FaultyStore.swallowed().apply(call);
            } else if (random < 15) {
              return FaultyStore.answersAfter(Mono.delay(millis(2))).apply(call);
            }
            return call;
          }
        };
    store.onAcquire = handling;
    store.onExtend = handling;
    store.onRelease = handling;
  }

  private double sum(String gauge) {
    return registry.get(gauge).gauges().stream().mapToDouble(Gauge::value).sum();
  }

  private double outcomes(String outcome) {
    return registry.get("monolock.acquisitions").tags("outcome", outcome).counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  private void assertNothingIsLeft() {
    await()
        .atMost(LIMIT)
        .untilAsserted(
            () -> {
              assertThat(observer.size()).isZero();
              assertThat(sum("monolock.held")).isZero();
              assertThat(sum("monolock.waiting")).isZero();
              assertThat(observations.open()).isZero();
            });
    assertThat(registry.get("monolock.held").gauges()).allMatch(gauge -> gauge.value() == 0);
    assertThat(registry.get("monolock.waiting").gauges()).allMatch(gauge -> gauge.value() == 0);
    assertThat(observations.stoppedTwice).hasValue(0);
    assertThat(observations.started.get()).isEqualTo((int) (ended() + outcomes("granted")));
  }

  private double ended() {
    return registry.get("monolock.acquisitions").counters().stream()
        .mapToDouble(counter -> counter.count())
        .sum();
  }

  private void runAll() {
    Flux.range(0, ACQUISITIONS)
        .flatMap(i -> randomUsage().onErrorComplete(), AT_ONCE)
        .blockLast(LIMIT);
  }

  @AfterEach
  void closeLog() {
    quiet.close();
  }

  @Test
  void afterThousandsOfRandomOutcomesNothingIsLeft() {
    makeTheStoreFail();

    runAll();

    assertNothingIsLeft();
    assertThat(done).containsOnlyKeys(Usage.values());
    for (String outcome : new String[] {"granted", "refused", "timed_out", "cancelled"}) {
      assertThat(outcomes(outcome)).as(outcome).isPositive();
    }
    assertThat(outcomes("store_trouble")).isPositive();
    assertThat(registry.get("monolock.hold").timers())
        .anyMatch(timer -> timer.totalTime(SECONDS) > 0);
    locker.close().block(LIMIT);
  }

  @Test
  void lockerThatClosesInTheMiddleOfItLeavesNothing() {
    makeTheStoreFail();
    Mono<Void> closing = Mono.delay(Duration.ofMillis(150)).then(Mono.defer(locker::close));

    Mono.when(closing, Mono.fromRunnable(this::runAll)).block(LIMIT);

    assertNothingIsLeft();
    assertThat(outcomes("closed")).isPositive();
  }
}
