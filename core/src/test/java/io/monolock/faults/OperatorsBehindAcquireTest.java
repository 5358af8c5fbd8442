// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.test.CapturedLog;
import io.monolock.test.DroppedSignals;
import io.monolock.test.HeldReplies;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * What becomes of a raw lock behind each operator that users put there. The lock is freed at once,
 * or the subscriber has it, or the operator has lost it: then it ends by its ttl, and a warning
 * names its keys.
 */
class OperatorsBehindAcquireTest extends LockerBehindProxy {

  private static final Duration TTL = Duration.ofMillis(400);
  private static final Duration LATER = Duration.ofMinutes(1);

  OperatorsBehindAcquireTest(RedisServer server) {
    super(server);
  }

  private enum Fate {
    FREED,
    HANDED_ON,
    LOST
  }

  /**
   * An operator and what becomes of the lock.
   *
   * @param before if the cancel comes before the answer of Redis
   * @param late if it comes while the lock is being delivered
   * @param within if the operator has the lock and waits for something; null if none waits
   */
  private record Operator(
      String name, Function<Mono<Lock>, Publisher<?>> behind, Fate before, Fate late, Fate within) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static final Scheduler STALLED = stalled();

  /** Takes tasks and never runs them. */
  private static Scheduler stalled() {
    return Schedulers.fromExecutor(task -> {});
  }

  static Stream<Operator> operators() {
    return Stream.of(
        new Operator("map", a -> a.map(l -> l), Fate.FREED, Fate.HANDED_ON, null),
        new Operator(
            "flatMap", a -> a.flatMap(l -> Mono.never()), Fate.FREED, Fate.LOST, Fate.LOST),
        new Operator(
            "filterWhen", a -> a.filterWhen(l -> Mono.never()), Fate.FREED, Fate.LOST, Fate.LOST),
        new Operator(
            "zipWhen", a -> a.zipWhen(l -> Mono.never()), Fate.FREED, Fate.LOST, Fate.LOST),
        new Operator("delayElement", a -> a.delayElement(LATER), Fate.FREED, Fate.LOST, Fate.LOST),
        new Operator("publishOn", a -> a.publishOn(STALLED), Fate.FREED, Fate.LOST, Fate.LOST),
        new Operator("timeout", a -> a.timeout(LATER), Fate.FREED, Fate.LOST, null),
        new Operator("then", a -> a.then(Mono.never()), Fate.FREED, Fate.LOST, Fate.LOST),
        new Operator("doOnNext", a -> a.doOnNext(l -> {}), Fate.FREED, Fate.HANDED_ON, null),
        new Operator("cache", a -> a.cache(), Fate.LOST, Fate.LOST, null),
        new Operator("share", a -> a.share(), Fate.FREED, Fate.LOST, null),
        new Operator("zip", a -> Mono.zip(a, Mono.never()), Fate.FREED, Fate.LOST, Fate.LOST),
        new Operator(
            "firstWithSignal",
            a -> Mono.firstWithSignal(a, Mono.never()),
            Fate.FREED,
            Fate.HANDED_ON,
            null),
        new Operator(
            "takeUntilOther", a -> a.takeUntilOther(Mono.never()), Fate.FREED, Fate.LOST, null),
        new Operator(
            "switchMap",
            a -> a.flux().switchMap(l -> Mono.never()),
            Fate.FREED,
            Fate.LOST,
            Fate.LOST));
  }

  static Stream<Operator> operatorsThatWait() {
    return operators().filter(operator -> operator.within() != null);
  }

  private static LockOptions optionsFor(Fate fate) {
    return fate == Fate.LOST ? LockOptions.of(TTL) : OPTIONS;
  }

  @ParameterizedTest
  @MethodSource("operators")
  @DisplayName("B26: cancelled before the answer, the lock is freed when it comes")
  void cancelledBeforeTheAnswer(Operator operator) {
    HeldReplies held = proxy.holdReplies();
    Taker taker = new Taker();
    try (CapturedLog log = new CapturedLog()) {
      operator
          .behind()
          .apply(locker.acquire("key", optionsFor(operator.before())))
          .subscribe(taker);
      awaitTaken("key");
      taker.cancel();
      held.release();
      assertFate(operator.before(), taker, log);
    }
  }

  @ParameterizedTest
  @MethodSource("operators")
  @DisplayName("B26: cancelled while the lock is delivered, it is handed on or ends by its ttl")
  void cancelledDuringTheDelivery(Operator operator, DroppedSignals dropped) {
    dropped.allow();
    Taker taker = new Taker();
    try (CapturedLog log = new CapturedLog()) {
      Mono<Lock> acquire =
          locker
              .acquire("key", optionsFor(operator.late()))
              .doOnNext(
                  lock -> {
                    taker.cancel();
                    taker.isCancelled = true;
                  });
      operator.behind().apply(acquire).subscribe(taker);
      await().until(() -> taker.isCancelled);
      assertFate(operator.late(), taker, log);
    }
  }

  @ParameterizedTest
  @MethodSource("operatorsThatWait")
  @DisplayName("B26: cancelled while the operator has the lock, it ends by its ttl")
  void cancelledWithinTheOperator(Operator operator) {
    Taker taker = new Taker();
    AtomicInteger delivered = new AtomicInteger();
    try (CapturedLog log = new CapturedLog()) {
      Mono<Lock> acquire =
          locker
              .acquire("key", optionsFor(operator.within()))
              .doOnSuccess(lock -> delivered.incrementAndGet());
      operator.behind().apply(acquire).subscribe(taker);
      await().until(() -> delivered.get() == 1);
      taker.cancel();
      assertFate(operator.within(), taker, log);
    }
  }

  private void assertFate(Fate fate, Taker taker, CapturedLog log) {
    switch (fate) {
      case FREED -> {
        awaitFree("key", SOON);
        assertThat(taker.taken).isEmpty();
        assertThat(warnings(log)).isEmpty();
      }
      case HANDED_ON -> {
        await().until(() -> taker.taken.size() == 1);
        assertThat(((Lock) taker.taken.get(0)).release().block(LIMIT)).isTrue();
        assertThat(warnings(log)).isEmpty();
      }
      case LOST -> {
        awaitFree("key", TTL.plus(SOON));
        assertThat(taker.taken).isEmpty();
        await().until(() -> !warnings(log).isEmpty());
        assertThat(warnings(log))
            .singleElement()
            .asString()
            .contains("[key]", "an operator lost it");
      }
    }
  }

  /** Of this test: locks of earlier ones in this JVM may end meanwhile. */
  private static List<String> warnings(CapturedLog log) {
    return log.lines("WARN").stream().filter(line -> line.contains("[key]")).toList();
  }

  @Test
  @DisplayName("B26: cancelled at random, every lock is handed on, freed, or warned of")
  void cancelledAtRandom(DroppedSignals dropped) {
    dropped.allow();
    proxy.delayReplies(Duration.ofMillis(2));
    List<Taker> takers = new ArrayList<>();
    try (CapturedLog log = new CapturedLog()) {
      for (int i = 0; i < 20; i++) {
        for (Operator operator : operators().toList()) {
          Taker taker = new Taker();
          takers.add(taker);
          String key = operator + ":" + i;
          operator.behind().apply(locker.acquire(key, LockOptions.of(TTL))).subscribe(taker);
          Schedulers.single()
              .schedule(
                  taker::cancel,
                  ThreadLocalRandom.current().nextLong(6_000_000),
                  TimeUnit.NANOSECONDS);
        }
      }
      await().until(() -> takers.stream().allMatch(taker -> taker.isOver));
      takers.forEach(Taker::releaseAll);
      awaitNoKeys(TTL.plus(SOON));

      await()
          .untilAsserted(
              () -> assertThat(warned(log)).containsExactlyInAnyOrderElementsOf(events.lostKeys()));
    }
  }

  private static List<String> warned(CapturedLog log) {
    return log.lines("WARN").stream()
        .map(line -> line.replaceAll(".*the lock on \\[(.*?)\\] reached its deadline.*", "$1"))
        .toList();
  }

  @Test
  @DisplayName(
      "B25: a raw lock behind a timeout swept around the round trip leaves no key for good")
  void timeoutAroundTheRoundTrip(DroppedSignals dropped) {
    dropped.allow();
    proxy.delayReplies(Duration.ofMillis(5));
    AtomicInteger ended = new AtomicInteger();
    for (int i = 0; i < 300; i++) {
      locker
          .acquire("key:" + i, LockOptions.of(TTL))
          .timeout(Duration.ofNanos(4_500_000 + 5_000L * i))
          .flatMap(Lock::release)
          .onErrorComplete()
          .doFinally(signal -> ended.incrementAndGet())
          .subscribe();
    }
    await().until(() -> ended.get() == 300);
    awaitNoKeys(TTL.plus(SOON));
  }

  @Test
  @DisplayName("B26: firstWithSignal loses the lock if another source signals during the delivery")
  void theOtherSourceIsFirst() {
    proxy.delayReplies(Duration.ofMillis(20)); // both are subscribed before the lock comes
    Sinks.One<String> other = Sinks.one();
    try (CapturedLog log = new CapturedLog()) {
      Mono<Lock> acquire =
          locker.acquire("key", LockOptions.of(TTL)).doOnNext(lock -> other.tryEmitValue("other"));
      assertThat(Mono.firstWithSignal(acquire, other.asMono()).block(LIMIT)).isEqualTo("other");
      assertFate(Fate.LOST, new Taker(), log);
    }
  }

  @Test
  @DisplayName("B26: flatMap(Lock::release) frees the key, whenever it is cancelled")
  void releaseInFlatMap() {
    proxy.delayReplies(Duration.ofMillis(2));
    for (int i = 0; i < 200; i++) {
      Taker taker = new Taker();
      locker
          .acquire("key:" + i, OPTIONS)
          .doOnNext(lock -> taker.cancel())
          .flatMap(Lock::release)
          .subscribe(taker);
    }
    awaitNoKeys(SOON);
  }

  @Test
  @DisplayName("B26: cache gives one lock to all, and keeps it when no subscriber is left")
  void cacheGivesOneLockToAll() {
    Mono<Lock> cached = locker.acquire("key", OPTIONS).cache();
    Lock first = cached.block(LIMIT);
    Lock second = cached.block(LIMIT);
    assertThat(first).isSameAs(second);
    assertThat(released(first)).isTrue();
    assertThat(cached.block(LIMIT).isValid()).isFalse();
  }

  private static final class Taker extends BaseSubscriber<Object> {
    private final List<Object> taken = new CopyOnWriteArrayList<>();
    private volatile boolean isCancelled;
    private volatile boolean isOver;

    @Override
    protected void hookOnSubscribe(Subscription subscription) {
      requestUnbounded();
    }

    @Override
    protected void hookOnNext(Object value) {
      taken.add(value);
    }

    @Override
    protected void hookOnError(Throwable e) {}

    @Override
    protected void hookFinally(SignalType type) {
      isOver = true;
    }

    void releaseAll() {
      for (Object value : taken) {
        ((Lock) value).release().block(LIMIT);
      }
    }
  }
}
