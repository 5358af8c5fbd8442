// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Three real servers, of which some die, hang, lose their answers or their data. */
class QuorumFaultsTest {

  private static final String ALICE = "Alice-Alice-Alice-Alic";
  private static final String BOB = "Bob_Bob_Bob_Bob_Bob_Bo";
  private static final LockKeys A = LockKeys.of("a");
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private static ThreeRedis redis;

  private QuorumLockStore store;

  @BeforeAll
  static void start() {
    redis = new ThreeRedis();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @BeforeEach
  void createStore() {
    redis.reset();
    store = redis.store();
    store.inspect("some key").retry(20).block(LIMIT);
  }

  @AfterEach
  void closeStores() {
    redis.closeStores();
  }

  private static <T> T result(Mono<T> call) {
    return call.block(LIMIT);
  }

  private static Grant acquire(QuorumLockStore store, String token, Duration ttl) {
    return result(store.acquire(A, token, "", ttl, false));
  }

  private void hold() {
    assertThat(acquire(store, ALICE, LONG)).isInstanceOf(Grant.Granted.class);
    await().until(() -> redis.having("a").size() == 3);
  }

  private static StoreFailure failure(Mono<?> call) {
    return assertThatExceptionOfType(StoreFailure.class)
        .isThrownBy(() -> call.block(LIMIT))
        .actual();
  }

  @Test
  @DisplayName("B63: one server is dead")
  void aDeadServerIsNotNeeded() {
    redis.server(3).kill();

    assertThat(acquire(store, ALICE, LONG)).isInstanceOf(Grant.Granted.class);
    assertThat(result(store.extend(A, ALICE, LONG))).isTrue();
    assertThat(acquire(store, BOB, LONG)).isInstanceOf(Grant.Busy.class);
    assertThat(result(store.release(A, ALICE, Duration.ZERO))).isTrue();
    assertThat(redis.having("a")).isEmpty();
  }

  @Test
  @DisplayName("B63: one server hangs, and no call waits for it")
  void aPausedServerIsNotWaitedFor() {
    QuorumLockStore withLongTimeout =
        redis.store(LONG, builder -> builder.memberTimeout(Duration.ofMinutes(1)));
    assertThat(acquire(withLongTimeout, ALICE, LONG)).isInstanceOf(Grant.Granted.class);
    redis.server(2).pause();

    assertThat(result(withLongTimeout.extend(A, ALICE, LONG))).isTrue();
    assertThat(result(withLongTimeout.release(A, ALICE, Duration.ZERO))).isTrue();
    assertThat(acquire(withLongTimeout, BOB, LONG)).isInstanceOf(Grant.Granted.class);
    redis.server(2).resume();
  }

  @Test
  @DisplayName("B61: a server executes a call, and its answer is lost")
  void whatWasTakenInSilenceIsFreed() {
    hold();
    assertThat(result(store.release(A, ALICE, Duration.ZERO))).isTrue();
    redis.server(1).kill();
    redis.proxy(3).dropReplies(true);

    assertThat(failure(store.acquire(A, ALICE, "", LONG, false)).isTransient()).isTrue();
    assertThat(redis.having("a")).containsExactly(3);
    redis.proxy(3).dropReplies(false);

    await().atMost(LIMIT).until(() -> redis.having("a").isEmpty());
  }

  @Test
  @DisplayName("B62: servers that restart empty, one after the other")
  void serversThatRestartEmptyAreGivenTheKeysAgain() {
    hold();
    for (int number = 1; number <= 3; number++) {
      redis.server(number).kill();
      redis.server(number).restartEmpty();

      await()
          .atMost(LIMIT)
          .until(
              () -> {
                assertThat(result(store.extend(A, ALICE, LONG))).isTrue();
                return redis.having("a").size() == 3;
              });
    }
    assertThat(result(store.release(A, ALICE, Duration.ZERO))).isTrue();
    await().atMost(LIMIT).until(() -> redis.having("a").isEmpty());
  }

  @Test
  @DisplayName("B62: servers that are emptied, one after the other")
  void serversThatAreEmptiedAreGivenTheKeysAgain() {
    hold();
    for (int number = 1; number <= 3; number++) {
      redis.server(number).command("FLUSHALL");

      assertThat(result(store.extend(A, ALICE, LONG))).isTrue();

      await().atMost(LIMIT).until(() -> redis.having("a").size() == 3);
    }
  }

  @Test
  void aServerThatRestartedEmptyHasNoVoteUntilTheTtlHasPassed() {
    Duration ttl = Duration.ofSeconds(4);
    QuorumLockStore store = redis.store(ttl, builder -> builder);
    QuorumLockStore another = redis.store(ttl, builder -> builder);
    assertThat(acquire(another, BOB, ttl)).isInstanceOf(Grant.Granted.class);
    assertThat(result(another.release(A, BOB, Duration.ZERO))).isTrue();
    redis.proxy(3).blackHole(true);
    long askedAt = System.nanoTime();
    assertThat(acquire(store, ALICE, ttl)).isInstanceOf(Grant.Granted.class);
    redis.server(2).kill();
    redis.server(2).restartEmpty();
    redis.proxy(3).reset();
    QuorumLockStore newcomer = redis.store(ttl, builder -> builder);

    List<Grant> early = new ArrayList<>();
    await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(LIMIT)
        .until(
            () -> {
              Grant grant =
                  Flux.just(another, newcomer)
                      .concatMap(
                          one ->
                              one.acquire(A, BOB, "", ttl, false)
                                  .onErrorReturn(new Grant.Busy(java.util.Optional.empty())))
                      .filter(Grant.Granted.class::isInstance)
                      .next()
                      .block(LIMIT);
              boolean isOver = System.nanoTime() - askedAt >= ttl.toNanos();
              if (grant != null && !isOver) {
                early.add(grant);
              }
              return grant != null;
            });
    assertThat(early).isEmpty();
  }

  @Test
  void withTwoServersDownTheErrorSaysSoAndNothingIsLeftWhenTheyAreBack() {
    hold();
    redis.proxy(2).refuse();
    redis.proxy(2).cut();
    redis.proxy(3).refuse();
    redis.proxy(3).cut();

    assertThat(failure(store.extend(A, ALICE, LONG)))
        .hasMessageContaining("1 of 3 members answered, 2 are needed");
    assertThat(failure(store.acquire(LockKeys.of("b"), ALICE, "", LONG, false)).isTransient())
        .isTrue();
    assertThat(failure(store.release(A, ALICE, Duration.ZERO)).isTransient()).isTrue();
    assertThat(redis.having("a")).containsExactly(2, 3);
    assertThat(redis.having("b")).isEmpty();

    redis.proxy(2).accept();
    redis.proxy(3).accept();
    await().atMost(LIMIT).until(() -> redis.having("a").isEmpty());
  }

  @Test
  @DisplayName("B64: the same server twice is found when it is first used")
  void theSameServerTwiceIsMisuse() {
    RedisClient client = RedisClient.create();
    QuorumLockStore twice =
        QuorumLockStore.create(
            Stream.of(redis.proxy(1).uri(), redis.server(2).uri(), redis.server(1).uri())
                .map(uri -> RedisLockStore.create(client, RedisURI.create(uri)))
                .toList(),
            LONG);

    StoreFailure failure = failure(twice.acquire(A, ALICE, "", LONG, false));

    assertThat(failure.reason()).isEqualTo(Reason.MISUSE);
    assertThat(failure.isTransient()).isFalse();
    assertThat(redis.having("a")).isEmpty();
    result(twice.close());
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  @Test
  void aLockerReportsThatThereIsNoMajority() {
    redis.server(2).kill();
    redis.server(3).kill();
    ReactiveLocker locker = ReactiveLocker.create(store);

    assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> locker.tryAcquire("a", LONG).block(LIMIT))
        .withMessageContaining("1 of 3");
    redis.server(2).restart();
    redis.server(3).restart();
    locker.close().block(LIMIT);
  }

  /** Split votes end, every contender gets the lock, and never two at the same time. */
  @Test
  @DisplayName("B65, B68: contenders exclude each other, and their numbers increase")
  void contendersAllGetTheirTurns() {
    int lockers = 5;
    int turns = 20;
    LockOptions options =
        LockOptions.of(Duration.ofSeconds(20)).fenced(true).waitAtMost(Duration.ofMinutes(2));
    AtomicInteger inside = new AtomicInteger();
    List<Integer> insideAtOnce = Collections.synchronizedList(new ArrayList<>());
    List<Long> numbers = Collections.synchronizedList(new ArrayList<>());
    List<ReactiveLocker> all =
        IntStream.range(0, lockers).mapToObj(i -> ReactiveLocker.create(redis.store())).toList();

    Flux.fromIterable(all)
        .flatMap(
            locker ->
                locker
                    .withLock(
                        List.of("a", "b"),
                        options,
                        lock ->
                            Mono.fromRunnable(() -> enter(lock, inside, insideAtOnce, numbers))
                                .then(Mono.delay(Duration.ofMillis(2)))
                                .doOnNext(any -> inside.decrementAndGet()))
                    .repeat(turns - 1),
            lockers)
        .blockLast(Duration.ofMinutes(3));

    assertThat(insideAtOnce).hasSize(lockers * turns).containsOnly(1);
    assertThat(numbers).isSorted().doesNotHaveDuplicates();
    all.forEach(locker -> locker.close().block(LIMIT));
  }

  private static void enter(
      Lock lock, AtomicInteger inside, List<Integer> insideAtOnce, List<Long> numbers) {
    insideAtOnce.add(inside.incrementAndGet());
    numbers.add(lock.fencingToken().orElseThrow());
  }

  @Test
  @DisplayName("B91: {a, b} and {b, a} do not wait for each other")
  void theOrderOfKeysDoesNotMatter() {
    LockOptions options = LockOptions.of(LONG).waitAtMost(Duration.ofMinutes(1));
    ReactiveLocker one = ReactiveLocker.create(redis.store());
    ReactiveLocker other = ReactiveLocker.create(redis.store());

    Long done =
        Flux.merge(
                one.withLock(List.of("a", "b"), options, lock -> Mono.just(1)).repeat(9),
                other.withLock(List.of("b", "a"), options, lock -> Mono.just(1)).repeat(9))
            .count()
            .block(Duration.ofMinutes(2));

    assertThat(done).isEqualTo(20);
    one.close().block(LIMIT);
    other.close().block(LIMIT);
  }
}
