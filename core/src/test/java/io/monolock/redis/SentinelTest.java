// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.DroppedSignals;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisSentinels;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** Locks on the master that Sentinels name, which becomes another one. */
@ExtendWith({RedisExtension.class, DroppedSignals.class})
class SentinelTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String KEY = "order:42";
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(40)).waitAtMost(Duration.ofSeconds(50));

  private final RedisSentinels sentinels;
  private final List<ReactiveLocker> lockers = new ArrayList<>();
  private RedisClient client;
  private ReactiveLocker locker;
  private ReactiveLocker other;

  SentinelTest(RedisSentinels sentinels) {
    this.sentinels = sentinels;
  }

  @BeforeEach
  void openLockers() {
    client = RedisClient.create();
    locker = locker();
    other = locker();
  }

  @AfterEach
  void closeAll() {
    lockers.forEach(each -> each.close().block(LIMIT));
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  private ReactiveLocker locker() {
    ReactiveLocker created = ReactiveLocker.create(store());
    lockers.add(created);
    return created;
  }

  private RedisLockStore store() {
    return RedisLockStore.create(client, RedisURI.create(sentinels.uri()));
  }

  private static <T> T get(Mono<T> mono) {
    return mono.block(LIMIT);
  }

  private static Lock granted(CompletableFuture<Lock> waiter) throws Exception {
    return waiter.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private Lock replicatedLock() {
    Lock lock = get(locker.acquire(KEY, OPTIONS));
    awaitReplicated();
    return lock;
  }

  /** Waits for the key, and is woken or not served at all. */
  private CompletableFuture<Lock> waitingToBeWoken() {
    return waiting(OPTIONS.retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofHours(1))));
  }

  private CompletableFuture<Lock> waiting(LockOptions options) {
    CompletableFuture<Lock> waiter = other.acquire(KEY, options).toFuture();
    await()
        .atMost(LIMIT)
        .until(
            () ->
                other.activity().stream()
                    .anyMatch(one -> one.state() == LockActivity.State.WAITING));
    return waiter;
  }

  private void assertHeldAndHandedOn(Lock lock, CompletableFuture<Lock> waiter) throws Exception {
    await()
        .ignoreExceptions()
        .atMost(LIMIT)
        .untilAsserted(
            () -> assertThat(get(lock.extend(Duration.ofSeconds(40)).thenReturn(true))).isTrue());
    assertThat(waiter).isNotDone();
    assertThat(lock.isValid()).isTrue();
    assertThat(get(other.tryAcquire(KEY, OPTIONS).onErrorComplete())).isNull();
    assertThat(get(lock.release())).isTrue();
    assertThat(granted(waiter).isValid()).isTrue();
    // the first answer may be lost with a connection that was dead without a sign
    get(granted(waiter).release().onErrorComplete());
    await()
        .atMost(LIMIT)
        .until(() -> sentinels.master().server().commandAsLong("EXISTS", KEY) == 0);
  }

  @Test
  @Tag("thorough")
  @DisplayName("B74, G9: locks outlive a master that is killed, and a waiter is woken")
  void aLockOutlivesAMasterThatIsKilled() throws Exception {
    Lock lock = replicatedLock();
    CompletableFuture<Lock> waiter = waitingToBeWoken();

    ServerNode former = sentinels.killMaster();
    sentinels.awaitNewMaster(former);

    assertHeldAndHandedOn(lock, waiter);
    sentinels.restart(former);
  }

  @Test
  @DisplayName("B73, B74, G9: locks outlive a fail-over that is ordered")
  void aLockOutlivesAnOrderedFailOver() throws Exception {
    Lock lock = replicatedLock();
    CompletableFuture<Lock> waiter = waitingToBeWoken();

    sentinels.failOver();

    assertHeldAndHandedOn(lock, waiter);
  }

  @Test
  @Tag("thorough")
  @DisplayName("B74, B101: locks outlive a master that hangs, and comes back as one")
  void aLockOutlivesAMasterThatHangs() throws Exception {
    Lock lock = replicatedLock();
    CompletableFuture<Lock> waiter = waiting(OPTIONS);

    ServerNode former = sentinels.master();
    former.server().pause();
    sentinels.awaitNewMaster(former);

    assertHeldAndHandedOn(lock, waiter);
    former.server().resume();
    sentinels.awaitSettled();
    assertThat(get(get(locker.acquire(KEY, OPTIONS)).release())).isTrue();
  }

  @Test
  @Tag("thorough")
  @DisplayName("G10: calls that come while the master fails are served by the next one")
  void callsDuringTheFailOverAreServed() {
    get(get(locker.acquire(KEY, OPTIONS)).release());
    ServerNode former = sentinels.killMaster();

    List<Boolean> released =
        Flux.range(0, 50)
            .flatMap(i -> locker.acquire("key:" + i, OPTIONS).flatMap(Lock::release))
            .collectList()
            .block(LIMIT);

    assertThat(released).hasSize(50).doesNotContain(false);
    assertThat(locker.activity()).isEmpty();
    sentinels.restart(former);
  }

  @Test
  @Tag("thorough")
  @DisplayName("G6: a body ends with its own result though the master has changed meanwhile")
  void aBodyEndsWithItsResult() {
    Mono<String> work =
        locker.withLock(
            KEY,
            OPTIONS,
            lock ->
                Mono.fromRunnable(
                        () -> {
                          awaitReplicated();
                          sentinels.failOver();
                        })
                    .subscribeOn(Schedulers.boundedElastic())
                    .thenReturn("done"));

    assertThat(get(work)).isEqualTo("done");
    assertThat(get(get(other.acquire(KEY, OPTIONS)).release())).isTrue();
  }

  private void awaitReplicated() {
    await()
        .atMost(LIMIT)
        .until(
            () ->
                sentinels.replicas().stream()
                    .allMatch(node -> node.server().commandAsLong("EXISTS", KEY) == 1));
  }

  @Test
  void aSentinelThatHangsIsPassedOver() {
    ServerNode hung = sentinels.sentinels().get(0);
    hung.server().pause();

    Lock lock = get(locker().acquire(KEY, OPTIONS));

    assertThat(lock.isValid()).isTrue();
    hung.server().resume();
    sentinels.awaitSettled();
    assertThat(get(lock.release())).isTrue();
  }

  @Test
  void healthNamesTheTopology() {
    RedisLockStore store = store();

    assertThat(get(store.health()).topology()).isEqualTo("sentinel");

    get(store.close());
  }
}
