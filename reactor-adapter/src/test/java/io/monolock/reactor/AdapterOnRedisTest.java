// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static io.monolock.reactor.LockOperators.lockEach;
import static io.monolock.reactor.LockOperators.locked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.CommandRecorder;
import io.monolock.test.DroppedSignals;
import io.monolock.test.RecordedCommand;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

@ExtendWith({RedisExtension.class, DroppedSignals.class})
class AdapterOnRedisTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));

  private final RedisServer server;
  private final List<RedisClient> clients = new ArrayList<>();
  private final List<ReactiveLocker> lockers = new ArrayList<>();
  private ReactiveLocker locker;

  AdapterOnRedisTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    locker = another();
  }

  private ReactiveLocker another() {
    RedisClient client = RedisClient.create(server.uri());
    clients.add(client);
    ReactiveLocker made = ReactiveLocker.create(RedisLockStore.create(client));
    lockers.add(made);
    made.withLock("warm up", OPTIONS, lock -> Mono.empty())
        .block(LIMIT); // connects in its own time
    return made;
  }

  @AfterEach
  void close() {
    lockers.forEach(made -> made.close().block(LIMIT));
    clients.forEach(client -> client.shutdown(0, 0, TimeUnit.SECONDS));
  }

  private List<?> keys() {
    return (List<?>) server.command("KEYS", "*");
  }

  private void awaitNoKeys() {
    await().atMost(LIMIT).untilAsserted(() -> assertThat(keys()).isEmpty());
  }

  @Test
  void nestedScopeOnHeldKeysSendsNoCommand() {
    ReactiveLocker reentrant = ReentrantLocker.wrap(locker);
    try (CommandRecorder recorder = CommandRecorder.of(server)) {
      CommandRecorder.Mark[] marks = new CommandRecorder.Mark[1];
      Mono<List<RecordedCommand>> inner =
          reentrant.withLock(
              List.of("a", "b"),
              OPTIONS,
              lock ->
                  Mono.fromCallable(() -> recorder.since(marks[0]))
                      .subscribeOn(Schedulers.boundedElastic()));
      Mono<Void> mark =
          Mono.<Void>fromRunnable(() -> marks[0] = recorder.mark())
              .subscribeOn(Schedulers.boundedElastic());

      List<RecordedCommand> sent =
          reentrant
              .withLock(List.of("a", "b", "c"), OPTIONS, lock -> mark.then(inner))
              .block(LIMIT);

      assertThat(sent).isEmpty();
      assertThat(recorder.since(marks[0])).isNotEmpty(); // the release of the outer scope
    }
    awaitNoKeys();
  }

  @Test
  void flowsThatWantEachOthersKeysEndByTheirWaitAtMost() {
    ReactiveLocker reentrant = ReentrantLocker.wrap(locker);
    AtomicInteger ready = new AtomicInteger();

    List<String> outcomes =
        Flux.merge(crossing(reentrant, "a", "b", ready), crossing(reentrant, "b", "a", ready))
            .collectList()
            .block(LIMIT);

    assertThat(outcomes).hasSize(2).contains("LockNotAcquiredException");
    awaitNoKeys();
  }

  private Mono<String> crossing(
      ReactiveLocker reentrant, String own, String other, AtomicInteger ready) {
    LockOptions limited = OPTIONS.waitAtMost(Duration.ofSeconds(2));
    Mono<String> inner =
        reentrant.withLock(List.of(own, other), limited, lock -> Mono.just("both"));
    Mono<Long> bothHoldTheirs =
        Flux.interval(Duration.ofMillis(5)).filter(any -> ready.get() == 2).next();
    return reentrant
        .withLock(
            own,
            OPTIONS,
            lock -> Mono.fromRunnable(ready::incrementAndGet).then(bothHoldTheirs).then(inner))
        .onErrorResume(e -> Mono.just(e.getClass().getSimpleName()));
  }

  /** Two processes work on the same keys. */
  @Test
  void workOfOneKeyExcludesItselfInAllProcessesAndKeepsItsOrderInEach() {
    ReactiveLocker other = another();
    Map<Integer, AtomicInteger> inWork = new ConcurrentHashMap<>();
    AtomicInteger most = new AtomicInteger();

    Flux<Integer> one = results(locker, inWork, most);
    Flux<Integer> two = results(other, inWork, most);
    List<List<Integer>> both =
        Flux.merge(one.collectList(), two.collectList()).collectList().block(LIMIT);

    for (List<Integer> results : both) {
      assertThat(results).hasSize(200);
      for (int key = 0; key < 5; key++) {
        int wanted = key;
        assertThat(results.stream().filter(number -> number % 5 == wanted)).isSorted();
      }
    }
    assertThat(most).hasValue(1);
    awaitNoKeys();
  }

  private Flux<Integer> results(
      ReactiveLocker by, Map<Integer, AtomicInteger> inWork, AtomicInteger most) {
    return Flux.range(0, 200)
        .transform(
            lockEach(
                by,
                number -> "key:" + number % 5,
                OPTIONS.waitAtMost(LIMIT),
                number ->
                    Mono.defer(
                        () -> {
                          AtomicInteger count =
                              inWork.computeIfAbsent(number % 5, key -> new AtomicInteger());
                          most.accumulateAndGet(count.incrementAndGet(), Math::max);
                          return Mono.delay(Duration.ofMillis(1))
                              .map(any -> number)
                              .doOnNext(any -> count.decrementAndGet());
                        }),
                3));
  }

  @Test
  void cancelAfterARandomTimeLeavesNoKey() {
    ReactiveLocker reentrant = ReentrantLocker.wrap(locker);
    Leadership[] leaderships = new Leadership[300];
    for (int i = 0; i < leaderships.length; i++) {
      int round = i;
      leaderships[i] = Leadership.of(locker, "leader:" + i, OPTIONS);
      Flux<?> each =
          Flux.range(0, 100)
              .transform(
                  lockEach(
                      locker,
                      number -> "each:" + round + ":" + number % 7,
                      OPTIONS,
                      number -> round % 2 == 0 ? Mono.never() : Mono.delay(Duration.ofMillis(1)),
                      4));
      Mono<?> nested =
          reentrant.withLock(
              "outer:" + i,
              OPTIONS,
              lock ->
                  reentrant.withLock(
                      List.of("outer:" + round, "inner:" + round), OPTIONS, in -> Mono.never()));
      Mono<?> single = Mono.never().transformDeferred(locked(locker, "single:" + i, OPTIONS));
      Flux<?> led = leaderships[i].whileLeader(Flux.never());

      Disposable all =
          Flux.merge(each, nested, single, led).subscribe(any -> {}, Throwable::printStackTrace);
      Mono.delay(Duration.ofNanos(ThreadLocalRandom.current().nextLong(5_000_000)))
          .doOnNext(any -> all.dispose())
          .block(LIMIT);
    }

    awaitNoKeys();
    assertThat(leaderships).noneMatch(Leadership::isLeader);
  }

  @Test
  void oneInstanceLeadsAndAnotherFollowsWhenItsLockIsTaken() {
    Set<Integer> led = ConcurrentHashMap.newKeySet();
    List<Leadership> instances = new ArrayList<>();
    List<Disposable> running = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int instance = i;
      Leadership leadership = Leadership.of(another(), "leader", OPTIONS);
      instances.add(leadership);
      running.add(
          leadership
              .whileLeader(Flux.never().doOnSubscribe(any -> led.add(instance)))
              .subscribe(any -> {}, Throwable::printStackTrace));
    }
    await().atMost(LIMIT).until(() -> instances.stream().anyMatch(Leadership::isLeader));
    Leadership first = instances.stream().filter(Leadership::isLeader).findFirst().orElseThrow();

    running.get(instances.indexOf(first)).dispose();

    await()
        .atMost(LIMIT)
        .until(() -> led.size() > 1 && instances.stream().anyMatch(Leadership::isLeader));
    assertThat(first.isLeader()).isFalse();
    running.forEach(Disposable::dispose);
    awaitNoKeys();
  }

  @Test
  void jobRunsOnceAPeriodOnOneOfThreeInstances() {
    Duration period = Duration.ofHours(1);
    List<Leadership> instances =
        List.of(
            Leadership.of(another(), "nightly", OPTIONS),
            Leadership.of(another(), "nightly", OPTIONS),
            Leadership.of(another(), "nightly", OPTIONS));
    for (int tick = 0; tick < 20; tick++) {
      List<String> runs =
          Flux.fromIterable(instances)
              .flatMap(instance -> instance.oncePer(period, Mono.just("ran")))
              .collectList()
              .block(LIMIT);

      assertThat(runs).containsExactly("ran");
      assertThat(server.commandAsLong("PTTL", "nightly"))
          .isBetween(Duration.ofMinutes(25).toMillis(), Duration.ofMinutes(30).toMillis());
      server.command("DEL", "nightly"); // half of the period passes
    }
  }
}
