// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.Grant;
import io.monolock.store.Grant.Busy;
import io.monolock.store.Grant.Granted;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.CommandRecorder;
import io.monolock.test.RedisCluster;
import io.monolock.test.SlotMigration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.util.retry.Retry;

/** Grants that count only once a replica has them. */
class ReplicasTest extends OnPair {

  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration LATE = Duration.ofSeconds(60);
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(60)).waitAtMost(Duration.ofSeconds(30));

  private final List<ReactiveLocker> lockers = new ArrayList<>();

  @AfterEach
  void closeLockers() {
    lockers.forEach(locker -> locker.close().block(Duration.ofSeconds(20)));
  }

  private RedisLockStore store(int replicas, Duration timeout) {
    return closedAtTheEnd(
        RedisLockStore.builder(client, uri(pair.primary())).replicas(replicas, timeout).build());
  }

  private ReactiveLocker locker(Duration timeout) {
    ReactiveLocker locker =
        ReactiveLocker.create(RedisLockStore.builder(client, both()).replicas(1, timeout).build());
    lockers.add(locker);
    return locker;
  }

  private long exists(String key) {
    return pair.primary().commandAsLong("EXISTS", key);
  }

  private static LockKeys key(int number) {
    return LockKeys.of("key:" + number);
  }

  private long blocked() {
    return pair.primary()
        .commandAsString("INFO", "clients")
        .lines()
        .filter(line -> line.startsWith("blocked_clients:"))
        .mapToLong(line -> Long.parseLong(line.substring(16).trim()))
        .sum();
  }

  /** A grant that waits for the replica, which does not get it. */
  private CompletableFuture<Grant> waitingGrant(RedisLockStore store) {
    CompletableFuture<Grant> grant = store.acquire(key(0), ALICE, "", LONG, false).toFuture();
    await().until(() -> blocked() == 1);
    return grant;
  }

  @Test
  void aGrantThatCountsIsOnTheReplica() {
    RedisLockStore store = store(1, LATE);

    for (int i = 0; i < 50; i++) {
      assertThat(acquire(store, key(i), ALICE)).isInstanceOf(Granted.class);
      assertThat(pair.replica().commandAsLong("EXISTS", "key:" + i)).isEqualTo(1);
    }
  }

  @Test
  @DisplayName(
      "B70: a grant that replicas have not got in time does not count, and the error says both numbers")
  void aGrantThatIsNotReplicatedDoesNotCount() {
    RedisLockStore store = store(1, SOON);
    pair.cutReplication();

    StoreFailure failure = failure(store.acquire(A, ALICE, "", LONG, false));

    assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED);
    assertThat(failure.isTransient()).isTrue();
    assertThat(failure.isInDoubt()).isTrue();
    assertThat(failure).hasMessageContaining("0 of 1 replicas after " + SOON.toMillis() + " ms");
  }

  @Test
  @DisplayName("B70: a grant that does not count is released if its caller asks no more")
  void aGrantThatDoesNotCountIsReleased() {
    ReactiveLocker locker = locker(SOON);
    pair.cutReplication();

    StepVerifier.create(locker.tryAcquire("key", OPTIONS))
        .expectErrorSatisfies(
            e ->
                assertThat(((LockStoreException) e).reason())
                    .isEqualTo(StoreProblem.Reason.NOT_REPLICATED))
        .verify(Duration.ofSeconds(20));

    await().until(() -> exists("key") == 0);
  }

  @Test
  @DisplayName("B70: a grant that does not count is the caller's if the replica comes back")
  void aGrantIsAskedForAgain() {
    RedisLockStore store = store(1, SOON);
    pair.cutReplication();
    assertThat(failure(store.acquire(A, ALICE, "", LONG, false)).isTransient()).isTrue();

    pair.mendReplication();

    assertThat(inTime(store.acquire(A, ALICE, "", LONG, false))).isInstanceOf(Granted.class);
    assertThat(pair.replica().commandAsLong("EXISTS", "lock:a")).isEqualTo(1);
  }

  @Test
  void moreReplicasThanThereAreFailWithBothNumbers() {
    assertThat(failure(store(2, SOON).acquire(AB, ALICE, "", LONG, true)))
        .hasMessageContaining("1 of 2 replicas");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1})
  void noReplicasIsAnErrorThatSaysWhatToDo(int number) {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> RedisLockStore.builder(client, uri(pair.primary())).replicas(number, SOON))
        .withMessageContaining("replicas must be 1 or more, was " + number)
        .withMessageContaining("leave replicas(...) out");
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT-1S", "PT24H0.001S"})
  void timeoutsOutOfRangeAreRefused(Duration timeout) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisLockStore.builder(client, uri(pair.primary())).replicas(1, timeout))
        .withMessageContaining("timeout must be between 1 ms and 24 hours, was " + timeout);
  }

  @Test
  void partsOfAMillisecondAreNotForEver() {
    pair.cutReplication();
    assertThat(failure(store(1, Duration.ofNanos(1)).acquire(A, ALICE, "", LONG, false)))
        .hasMessageContaining("after 1 ms");
  }

  @Test
  @DisplayName("B70: what a token had before, it keeps when another grant is not replicated")
  void whatATokenHadBeforeItKeeps() {
    RedisLockStore store = store(1, SOON);
    acquire(store(1, LATE), A, ALICE);
    pair.cutReplication();

    assertThat(failure(store.acquire(A, ALICE, "", LONG, false)).reason())
        .isEqualTo(Reason.NOT_REPLICATED);

    assertThat(result(store.remaining(A, ALICE))).isPositive();
  }

  @Test
  void aRefusalWaitsForNoReplica() {
    acquire(store(1, LATE), A, ALICE);
    pair.cutReplication();

    assertThat(acquire(store(1, LATE), A, BOB)).isInstanceOf(Busy.class);
  }

  @Test
  void aHandOverThatIsNotReplicatedDoesNotCount() {
    RedisLockStore store = store(1, SOON);
    acquire(store(1, LATE), A, ALICE);
    pair.cutReplication();

    assertThat(failure(store.transfer(A, ALICE, BOB, "", LONG, false)).reason())
        .isEqualTo(Reason.NOT_REPLICATED);
    assertThat(result(store.release(A, BOB, Duration.ZERO))).isTrue();
    pair.mendReplication();
    inTime(store.acquire(A, ALICE, "", LONG, false));
    assertThat(result(store.transfer(A, ALICE, BOB, "", LONG, true)).released()).isTrue();
    assertThat(result(store.remaining(A, BOB))).isPositive();
  }

  @Test
  void extensionsAndReleasesAreHeldUpByNoGrant() {
    RedisLockStore store = store(1, LATE);
    acquire(store, A, ALICE);
    pair.cutReplication();
    CompletableFuture<Grant> grant = waitingGrant(store);

    assertThat(result(store.extend(A, ALICE, LONG))).isTrue();
    assertThat(result(store.remaining(A, ALICE))).isPositive();
    assertThat(result(store.release(A, ALICE, Duration.ZERO))).isTrue();

    assertThat(grant).isNotDone();
    pair.mendReplication();
    assertThat(grant).succeedsWithin(Duration.ofSeconds(20));
  }

  @Test
  void aCallThatComesMeanwhileIsSentAfterwards() {
    RedisLockStore store = store(1, LATE);
    pair.cutReplication();
    CompletableFuture<Grant> first = waitingGrant(store);
    CompletableFuture<Grant> next = store.acquire(A, ALICE, "", LONG, false).toFuture();
    assertThat(result(store.inspect("key:0"))).isNotNull();
    assertThat(exists("lock:a")).isZero();

    pair.mendReplication();

    assertThat(first).succeedsWithin(Duration.ofSeconds(20)).isInstanceOf(Granted.class);
    assertThat(next).succeedsWithin(Duration.ofSeconds(20)).isInstanceOf(Granted.class);
  }

  @Test
  void aCallThatWasHeldBackIsSentAfterAGrantThatDoesNotCount() {
    RedisLockStore store = store(1, SOON);
    pair.cutReplication();
    CompletableFuture<Grant> first = waitingGrant(store);

    StoreFailure failure = failure(store.acquire(A, ALICE, "", LONG, false));

    assertThat(first).isCompletedExceptionally();
    assertThat(failure).hasMessageContaining("0 of 1 replicas");
    assertThat(exists("lock:a")).isOne();
  }

  @Test
  void oneQuestionStandsForManyGrants() {
    RedisLockStore store = store(1, LATE);
    pair.cutReplication();
    CompletableFuture<Grant> first = waitingGrant(store);
    try (CommandRecorder recorder = CommandRecorder.of(pair.primary())) {
      List<CompletableFuture<Grant>> crowd =
          IntStream.range(1, 100)
              .mapToObj(i -> store.acquire(key(i), ALICE, "", LONG, false).toFuture())
              .toList();

      pair.mendReplication();

      assertThat(first).succeedsWithin(Duration.ofSeconds(20));
      crowd.forEach(
          grant ->
              assertThat(grant).succeedsWithin(Duration.ofSeconds(20)).isInstanceOf(Granted.class));
      assertThat(recorder.commands("WAIT")).hasSizeBetween(1, 3);
    }
    for (int i = 0; i < 100; i++) {
      assertThat(pair.replica().commandAsLong("EXISTS", "key:" + i)).isEqualTo(1);
    }
  }

  @Test
  void aCallThatIsCancelledBeforeItsTurnIsNotSent() {
    RedisLockStore store = store(1, LATE);
    pair.cutReplication();
    CompletableFuture<Grant> first = waitingGrant(store);
    store.acquire(A, ALICE, "", LONG, false).subscribe(grant -> {}, e -> {}).dispose();
    CompletableFuture<Grant> next = store.acquire(B, BOB, "", LONG, false).toFuture();

    pair.mendReplication();

    assertThat(next).succeedsWithin(Duration.ofSeconds(20));
    assertThat(first).succeedsWithin(Duration.ofSeconds(20));
    assertThat(exists("lock:a")).isZero();
  }

  @Test
  void aCallThatIsHeldBackForTooLongFailsAsNotSent() {
    RedisLockStore store = store(1, LATE);
    pair.cutReplication();
    CompletableFuture<Grant> first = waitingGrant(store);
    CompletableFuture<Grant> next = store.acquire(A, ALICE, "", LONG, false).toFuture();
    store.overdue(LONG);
    assertThat(next).isNotDone();

    await()
        .until(
            () -> {
              store.overdue(SOON);
              return next.isDone();
            });

    assertThat(next)
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(StoreFailure.class)
        .withMessageContaining("Nothing was sent");
    assertThat(first).isNotDone();
    assertThat(exists("lock:a")).isZero();
  }

  @Test
  void aLostConnectionIsNoGrantAndHoldsNoCallBack() {
    RedisLockStore store = store(1, LATE);
    pair.cutReplication();
    CompletableFuture<Grant> first = waitingGrant(store);
    CompletableFuture<Grant> next = store.acquire(A, ALICE, "", LONG, false).toFuture();

    pair.primary().command("CLIENT", "KILL", "TYPE", "normal");

    assertThat(first)
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            StoreFailure.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED);
              assertThat(failure.isTransient()).isTrue();
            });
    assertThat(next)
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            StoreFailure.class,
            failure -> assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE));
    pair.mendReplication();
    assertThat(inTime(store.acquire(A, ALICE, "", LONG, false))).isInstanceOf(Granted.class);
  }

  @Test
  @DisplayName("B70: a fail-over between the grant and its confirmation is no grant")
  void aFailOverMeanwhileIsNoGrant() {
    RedisLockStore store =
        closedAtTheEnd(RedisLockStore.builder(client, both()).replicas(1, LATE).build());
    acquire(store, B, BOB);
    pair.cutReplication();
    CompletableFuture<Grant> grant = store.acquire(A, ALICE, "", LONG, false).toFuture();
    await().until(() -> blocked() == 1);

    pair.promote();
    pair.mendReplication();
    pair.rejoin();

    assertThat(grant)
        .failsWithin(Duration.ofSeconds(20))
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            StoreFailure.class,
            failure -> assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED));
    assertThat(inTime(store.acquire(A, BOB, "", LONG, false))).isInstanceOf(Granted.class);
  }

  @Test
  void aGrantCostsOneMoreCommandAndWaitersNone() {
    RedisLockStore store = store(1, LATE);
    acquire(store, A, ALICE);
    try (CommandRecorder recorder = CommandRecorder.of(pair.primary())) {
      acquire(store, B, BOB);
      acquire(store, A, BOB);
      assertThat(recorder.commands("WAIT")).hasSize(1);
    }
  }

  @Test
  @DisplayName("G9: a waiter is woken, and served when its grant is replicated")
  void aWaiterIsWoken() throws Exception {
    ReactiveLocker one = locker(LATE);
    ReactiveLocker other = locker(LATE);
    LockOptions woken = OPTIONS.retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofHours(1)));
    for (int i = 0; i < 50; i++) {
      Lock lock = one.acquire("key", OPTIONS).block(TIMEOUT);
      CompletableFuture<Lock> waiter = other.acquire("key", woken).toFuture();
      if (i % 2 == 0) {
        await()
            .until(
                () ->
                    other.activity().stream()
                        .anyMatch(any -> any.state() == LockActivity.State.WAITING));
      }
      assertThat(lock.release().block(TIMEOUT)).isTrue();
      Lock next = waiter.get(20, TimeUnit.SECONDS);
      assertThat(pair.replica().commandAsLong("EXISTS", "key")).isEqualTo(1);
      assertThat(next.release().block(TIMEOUT)).isTrue();
    }
  }

  @Test
  void aLockerWaitsOutAReplicaThatIsAway() {
    ReactiveLocker locker = locker(SOON);
    pair.cutReplication();
    StepVerifier.create(locker.tryAcquire("key", OPTIONS))
        .expectErrorSatisfies(
            e -> {
              assertThat(e).isInstanceOf(LockStoreException.class);
              assertThat(((LockStoreException) e).reason())
                  .isEqualTo(StoreProblem.Reason.NOT_REPLICATED);
            })
        .verify(Duration.ofSeconds(20));
    await().until(() -> exists("key") == 0);
    CompletableFuture<Lock> waiter = locker.acquire("key", OPTIONS).toFuture();
    await().during(Duration.ofMillis(500)).until(() -> !waiter.isDone());

    pair.mendReplication();

    assertThat(waiter).succeedsWithin(Duration.ofSeconds(20)).matches(Lock::isValid);
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofSeconds(10))
        .until(() -> exists("key") == 1);
  }

  @Test
  void aUserWhoMayNotWaitForReplicasIsRefusedAndHoldsNothing() {
    pair.primary().command("ACL", "SETUSER", "modest", "on", ">secret", "~*", "+@all", "-wait");
    RedisURI uri = uri(pair.primary());
    uri.setCredentialsProvider(
        RedisCredentialsProvider.from(
            () -> RedisCredentials.just("modest", "secret".toCharArray())));
    RedisLockStore store =
        closedAtTheEnd(RedisLockStore.builder(client, uri).replicas(1, SOON).build());

    StoreFailure failure = failure(store.acquire(A, ALICE, "", LONG, false));

    assertThat(failure.reason()).isEqualTo(Reason.PERMISSION);
    assertThat(failure.isTransient()).isFalse();
    assertThat(exists("lock:a")).isZero();
  }

  @Test
  void aUserWhoMayNotWaitForReplicasAnyMoreIsRefusedForGood() {
    RedisLockStore store = store(1, SOON);
    acquire(store, B, BOB);
    pair.primary().command("ACL", "SETUSER", "default", "-wait");

    StoreFailure failure = failure(store.acquire(A, ALICE, "", LONG, false));

    assertThat(failure.reason()).isEqualTo(Reason.NOT_REPLICATED);
    assertThat(failure.isTransient()).isFalse();
    assertThat(failure.isInDoubt()).isTrue();
    assertThat(failure).hasMessageContaining("Redis refuses the user");
  }

  @Test
  void warmingUpOpensTheConnectionOfGrantsToo() {
    RedisLockStore store = store(1, LATE);
    store.warmUp().block(TIMEOUT);
    try (CommandRecorder recorder = CommandRecorder.of(pair.primary())) {
      acquire(store, A, ALICE);
      assertThat(recorder.commands("HELLO")).isEmpty();
    }
  }

  @Test
  void inAClusterGrantsAreReplicatedToo() {
    try (RedisCluster cluster = RedisCluster.start()) {
      RedisClusterClient client =
          RedisClusterClient.create(cluster.uris().stream().map(RedisURI::create).toList());
      RedisLockStore store =
          RedisLockStore.builder(client).replicas(1, Duration.ofSeconds(20)).build();
      for (int i = 0; i < 20; i++) {
        assertThat(inTime(store.acquire(key(i), ALICE, "", LONG, true)))
            .isInstanceOf(Granted.class);
      }
      SlotMigration migration =
          cluster.beginMigration(
              cluster.slotOf("key:0"),
              cluster.masters().stream()
                  .filter(node -> node != cluster.ownerOf("key:0"))
                  .findFirst()
                  .orElseThrow());
      assertThat(inTime(store.release(key(0), ALICE, Duration.ZERO))).isTrue();
      assertThat(inTime(store.acquire(key(0), BOB, "", LONG, false))).isInstanceOf(Granted.class);
      migration.finish();
      assertThat(inTime(store.acquire(key(0), BOB, "", LONG, false))).isInstanceOf(Granted.class);

      StoreFailure failure =
          failure(
              closedAtTheEnd(RedisLockStore.builder(client).replicas(2, SOON).build())
                  .acquire(A, ALICE, "", LONG, false));
      assertThat(failure).hasMessageContaining("1 of 2 replicas");
      store.close().block(TIMEOUT);
      client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  @Test
  void aCrowdThatIsRefusedAtOnceEndsInOrder() {
    RedisLockStore store = store(1, LATE);
    pair.cutReplication();
    CompletableFuture<Grant> first = waitingGrant(store);
    List<CompletableFuture<Grant>> crowd =
        IntStream.range(0, 5_000)
            .mapToObj(i -> store.acquire(A, "%022d".formatted(i), "", LONG, false).toFuture())
            .toList();

    store.close().block(TIMEOUT);

    assertThat(first).failsWithin(Duration.ofSeconds(5));
    crowd.forEach(
        one ->
            assertThat(one)
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("closed"));
  }

  @Test
  void handOversInALockerAreReplicated() {
    ReactiveLocker locker = locker(LATE);

    Long done =
        Flux.range(0, 200)
            .flatMap(
                i ->
                    locker.withLock(
                        "key",
                        OPTIONS,
                        lock ->
                            Mono.fromCallable(() -> pair.replica().commandAsLong("EXISTS", "key"))
                                .subscribeOn(Schedulers.boundedElastic())),
                200)
            .filter(found -> found == 1)
            .count()
            .block(Duration.ofSeconds(60));

    assertThat(done).isEqualTo(200);
  }
}
