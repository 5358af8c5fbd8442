// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreHealth;
import io.monolock.test.DroppedSignals;
import io.monolock.test.RedisCluster;
import io.monolock.test.ServerNode;
import io.monolock.test.SlotMigration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Locks in a cluster whose slots move and whose masters change. */
@ExtendWith(DroppedSignals.class)
class ClusterTest extends OnCluster {

  private static final String KEY = "order:42";

  private ReactiveLocker locker;
  private ReactiveLocker other;

  ClusterTest(RedisCluster cluster) {
    super(cluster);
  }

  @BeforeEach
  void openLockers() {
    locker = locker();
    other = locker();
  }

  private static Mono<Lock> attemptedOnce(ReactiveLocker locker, String key) {
    return locker.tryAcquire(key, OPTIONS);
  }

  private CompletableFuture<Lock> waiting(ReactiveLocker locker, String key) {
    CompletableFuture<Lock> waiter = locker.acquire(key, OPTIONS).toFuture();
    await()
        .atMost(LIMIT)
        .until(
            () ->
                locker.activity().stream()
                    .anyMatch(
                        one ->
                            one.state() == LockActivity.State.WAITING && one.keys().contains(key)));
    return waiter;
  }

  private static Lock granted(CompletableFuture<Lock> waiter) throws Exception {
    return waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  @DisplayName("B108: locks are taken and freed wherever their keys are, from the first call on")
  void locksAreTakenAndFreedWhereverTheirKeysAre() {
    List<String> keys = IntStream.range(0, 100).mapToObj(i -> "key:" + i).toList();

    List<Lock> locks =
        Flux.fromIterable(keys)
            .flatMap(key -> locker.acquire(key, OPTIONS))
            .collectList()
            .block(LIMIT);

    assertThat(locks).hasSize(100).allMatch(Lock::isValid);
    assertThat(cluster.masters()).allMatch(node -> node.server().commandAsLong("DBSIZE") > 0);
    assertThat(get(attemptedOnce(other, "key:7"))).isNull();
    Flux.fromIterable(locks).flatMap(Lock::release).collectList().block(LIMIT);
    assertThat(cluster.masters()).allMatch(node -> node.server().commandAsLong("DBSIZE") == 0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}a", "{a", "x}{t}", "a{b}c", "{a}{b}", "ünïcödé", "{}{a}"})
  void slotOfAnyNameIsThatOfRedis(String key) {
    assertThat(HashSlots.of(key)).isEqualTo(cluster.slotOf(key));
    assertThat(get(lock(locker, key).release())).isTrue();
  }

  @Test
  @DisplayName("G14, B85: keys of different slots are refused when the call is assembled")
  void keysOfDifferentSlotsAreRefusedAtOnce() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> locker.acquire(List.of("foo", "bar"), OPTIONS))
        .withMessageContaining("bar in slot 5061, foo in slot 12182");
  }

  @Test
  @DisplayName("G11: fencing numbers increase in a cluster, too")
  void fencingNumbersIncrease() {
    LockOptions fenced = OPTIONS.fenced(true);
    Lock first = get(locker.acquire(KEY, fenced));
    get(first.release());
    Lock second = get(other.acquire(KEY, fenced));

    assertThat(second.fencingToken().getAsLong()).isGreaterThan(first.fencingToken().getAsLong());
  }

  @Test
  @DisplayName("B77: a slot that moved is followed")
  void aSlotThatMovedIsFollowed() {
    Lock lock = lock(locker, KEY);

    cluster.migrate(cluster.slotOf(KEY), otherThanOwnerOf(KEY));

    assertThat(get(lock.ttl())).isPositive();
    assertThat(get(lock.extend(Duration.ofSeconds(30)).thenReturn(true))).isTrue();
    assertThat(get(attemptedOnce(other, KEY))).isNull();
    assertThat(get(lock.release())).isTrue();
    assertThat(get(attemptedOnce(other, KEY))).isNotNull();
  }

  @Test
  void aLockIsHeldThroughEachStepOfAMigration() {
    Lock lock = lock(locker, KEY);
    SlotMigration migration = cluster.beginMigration(cluster.slotOf(KEY), otherThanOwnerOf(KEY));

    assertThat(get(lock.ttl())).isPositive();
    assertThat(get(attemptedOnce(other, KEY))).isNull();
    migration.moveKey(KEY);
    assertThat(get(lock.ttl())).isPositive();
    get(lock.extend(Duration.ofSeconds(30)));
    assertThat(get(attemptedOnce(other, KEY))).isNull();
    migration.finish();
    assertThat(get(lock.ttl())).isGreaterThan(Duration.ofSeconds(20));
    assertThat(get(attemptedOnce(other, KEY))).isNull();
    assertThat(get(lock.release())).isTrue();
  }

  @Test
  void aKeyIsTakenAndFreedWhileItsSlotMoves() {
    SlotMigration migration = cluster.beginMigration(cluster.slotOf(KEY), otherThanOwnerOf(KEY));

    Lock lock = lock(locker, KEY);

    assertThat(get(attemptedOnce(other, KEY))).isNull();
    assertThat(get(lock.release())).isTrue();
    lock = lock(other, KEY);
    migration.finish();
    assertThat(get(lock.release())).isTrue();
    assertThat(isFree(KEY)).isTrue();
  }

  @Test
  @DisplayName("G10, B78: keys of which some have moved are waited for, not busy")
  void keysOfWhichSomeHaveMovedAreWaitedFor() throws Exception {
    Lock one = lock(locker, "{order}:1");
    SlotMigration migration =
        cluster.beginMigration(cluster.slotOf("{order}:1"), otherThanOwnerOf("{order}:1"));
    CompletableFuture<Lock> both =
        other.acquire(List.of("{order}:1", "{order}:2"), OPTIONS).toFuture();

    get(one.release());
    migration.finish();

    assertThat(granted(both).isValid()).isTrue();
  }

  @Test
  @DisplayName("G9: a waiter is woken by a release, though the slot has moved meanwhile")
  void aWaiterIsWokenThoughTheSlotHasMoved() throws Exception {
    Lock lock = lock(locker, KEY);
    CompletableFuture<Lock> waiter = waiting(other, KEY);

    cluster.migrate(cluster.slotOf(KEY), otherThanOwnerOf(KEY));
    get(lock.release());

    assertThat(granted(waiter).isValid()).isTrue();
  }

  @Test
  void aServerThatLostItsScriptsIsTaughtThem() {
    lock(locker, KEY).release().block(LIMIT);

    cluster.masters().forEach(node -> node.server().command("SCRIPT", "FLUSH"));

    assertThat(get(lock(locker, KEY).release())).isTrue();
  }

  @Test
  void aLockIsHeldThroughAFailOverInOrder() throws Exception {
    Lock lock = lock(locker, KEY);
    CompletableFuture<Lock> waiter = waiting(other, KEY);

    cluster.failOver(replicaOfOwnerOf(KEY));

    get(lock.extend(Duration.ofSeconds(30)));
    assertThat(waiter).isNotDone();
    assertThat(get(lock.release())).isTrue();
    assertThat(granted(waiter).isValid()).isTrue();
  }

  @Test
  void aLockIsHeldThroughATakeOver() throws Exception {
    Lock lock = lock(locker, KEY);
    awaitReplicated(KEY);
    CompletableFuture<Lock> waiter = waiting(other, KEY);

    cluster.takeOver(replicaOfOwnerOf(KEY));

    get(lock.extend(Duration.ofSeconds(30)));
    assertThat(waiter).isNotDone();
    assertThat(get(lock.release())).isTrue();
    assertThat(granted(waiter).isValid()).isTrue();
  }

  private void awaitReplicated(String key) {
    ServerNode replica = replicaOfOwnerOf(key);
    await().atMost(LIMIT).until(() -> existsOn(replica, key) > 0);
  }

  @Test
  @DisplayName("G10, B97: a master that is killed is waited out until another takes its place")
  void aMasterThatIsKilledIsWaitedOut() throws Exception {
    Lock lock = lock(locker, KEY);
    awaitReplicated(KEY);
    CompletableFuture<Lock> waiter = waiting(other, KEY);
    CompletableFuture<String> body =
        locker
            .withLock(
                "{order:42}:more",
                OPTIONS,
                held -> Mono.delay(Duration.ofSeconds(4)).map(any -> "done"))
            .toFuture();
    await().atMost(LIMIT).until(() -> locker.activity().size() == 2);
    awaitReplicated("{order:42}:more");

    ServerNode killed = cluster.ownerOf(KEY);
    killed.server().kill();
    cluster.awaitSettled();

    get(lock.extend(Duration.ofSeconds(30)));
    assertThat(body.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo("done");
    assertThat(get(lock.release())).isTrue();
    assertThat(granted(waiter).isValid()).isTrue();
    cluster.restart(killed);
  }

  @Test
  @DisplayName("G10: a master that hangs is waited out until another takes its place")
  void aMasterThatHangsIsWaitedOut() {
    lock(locker, KEY).release().block(LIMIT);
    ServerNode hung = cluster.ownerOf(KEY);
    hung.server().pause();

    Lock lock = lock(locker, KEY);

    assertThat(lock.isValid()).isTrue();
    hung.server().resume();
    cluster.awaitSettled();
    assertThat(get(lock.release())).isTrue();
  }

  @Test
  @DisplayName("G10: a waiter that gives up fails with the trouble, not as refused")
  void troubleIsNotCalledBusy() {
    get(lock(locker, KEY).release());
    cluster.masters().forEach(node -> node.server().pause());

    StepVerifier.create(locker.acquire(KEY, OPTIONS.waitAtMost(Duration.ofSeconds(1))))
        .expectErrorSatisfies(e -> assertThat(e).isNotInstanceOf(LockNotAcquiredException.class))
        .verify(LIMIT);

    cluster.nodes().forEach(node -> node.server().resume());
    cluster.awaitSettled();
  }

  @Test
  @DisplayName("G4, B99: cancelled while its master was away, an acquisition leaves no key")
  void anAcquisitionThatWasCancelledMeanwhileLeavesNoKey() {
    get(lock(locker, KEY).release());
    ServerNode hung = cluster.ownerOf(KEY);
    hung.server().pause();
    for (int i = 0; i < 20; i++) {
      locker.acquire(KEY, OPTIONS).subscribe(lock -> {}, e -> {}).dispose();
    }

    hung.server().resume();
    cluster.awaitSettled();

    await().atMost(LIMIT).until(() -> locker.activity().isEmpty());
    awaitFree(KEY);
    assertThat(get(lock(other, KEY).release())).isTrue();
  }

  @Test
  void healthIsThatOfAllMasters() {
    RedisLockStore store = RedisLockStore.create(client);

    assertThat(get(store.health())).isEqualTo(new StoreHealth("cluster", Optional.empty()));
    cluster.ownerOf(KEY).server().pause();
    StepVerifier.create(store.health().timeout(Duration.ofSeconds(1))).verifyError();

    get(store.close());
    cluster.nodes().forEach(node -> node.server().resume());
    cluster.awaitSettled();
  }
}
