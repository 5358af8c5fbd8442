// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.Holder;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** The token in the handle is the only proof of ownership. */
class OwnershipTest extends LockerBehindProxy {

  private static final String FOREIGN = "token-of-another-cli-1";

  OwnershipTest(RedisServer server) {
    super(server);
  }

  @Test
  @DisplayName("B36: flows on one thread exclude each other, though the replies are slow")
  void flowsOnOneThread() {
    proxy.delayReplies(Duration.ofMillis(2));
    LockOptions eager = OPTIONS.retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(3)));
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Scheduler one = Schedulers.newSingle("flows");
    try {
      Flux.range(0, 10)
          .flatMap(
              i ->
                  locker
                      .withLock(
                          "key",
                          eager,
                          lock ->
                              Mono.fromRunnable(
                                      () ->
                                          most.accumulateAndGet(
                                              inside.incrementAndGet(), Math::max))
                                  .then(Mono.delay(Duration.ofMillis(3), one))
                                  .doOnNext(any -> inside.decrementAndGet()))
                      .subscribeOn(one))
          .blockLast(LIMIT);
    } finally {
      one.dispose();
    }
    assertThat(most).hasValue(1);
  }

  @Test
  @DisplayName("B38: a lock that was deleted is not brought back, neither by extend nor by refresh")
  void deletedIsNotBroughtBack() {
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    server.command("DEL", "key");
    assertThatThrownBy(() -> lock.extend(Duration.ofMinutes(2)).block(LIMIT))
        .isInstanceOfSatisfying(
            LockLostException.class,
            e -> assertThat(e.reason()).isEqualTo(LockLostException.Reason.TAKEN));
    assertThat(isFree("key")).isTrue();

    LockOptions brief = LockOptions.of(Duration.ofMillis(300));
    assertThatThrownBy(
            () ->
                locker
                    .withLock(
                        "key",
                        brief,
                        held ->
                            Mono.fromRunnable(() -> server.command("DEL", "key"))
                                .subscribeOn(Schedulers.boundedElastic())
                                .then(Mono.never()))
                    .block(LIMIT))
        .isInstanceOf(LockLostException.class);
    assertThat(isFree("key")).isTrue();
  }

  @Test
  @DisplayName("B39: while handles of many processes come and go, a valid one owns its key")
  void aValidHandleOwnsItsKey() {
    List<RedisClient> clients =
        List.of(
            RedisClient.create(proxy.uri()),
            RedisClient.create(server.uri()),
            RedisClient.create(server.uri()));
    List<ReactiveLocker> lockers =
        clients.stream().map(each -> ReactiveLocker.create(RedisLockStore.create(each))).toList();
    proxy.delayReplies(Duration.ofMillis(3));
    AtomicInteger handles = new AtomicInteger();
    try {
      Flux.fromIterable(lockers)
          .flatMap(each -> Mono.defer(() -> useForAWhile(each, handles)).repeat(40), lockers.size())
          .blockLast(LIMIT);
    } finally {
      lockers.forEach(each -> each.close().block(LIMIT));
      clients.forEach(each -> each.shutdown(0, 0, TimeUnit.SECONDS));
    }
    assertThat(handles).hasValueGreaterThan(60);
    awaitFree("key", SOON);
  }

  /** Takes a lock, often for longer than its ttl, and gives it back all the same. */
  private Mono<Void> useForAWhile(ReactiveLocker from, AtomicInteger handles) {
    LockOptions brief =
        LockOptions.of(Duration.ofMillis(ThreadLocalRandom.current().nextInt(20, 40)))
            .retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(2)));
    return from.acquire("key", brief)
        .delayElement(Duration.ofMillis(ThreadLocalRandom.current().nextInt(40)))
        .publishOn(Schedulers.boundedElastic())
        .flatMap(
            lock -> {
              handles.incrementAndGet();
              String before = server.commandAsString("GET", "key");
              if (lock.isValid()) {
                assertThat(before).isEqualTo(lock.token());
              }
              return lock.release().then();
            })
        .onErrorResume(LockException.class, e -> Mono.empty());
  }

  @Test
  @DisplayName("B39, B40: the release of an expired lock leaves the next holder's key and its ttl")
  void expiredReleaseLeavesTheNextHolder() {
    LockOptions brief = LockOptions.of(Duration.ofMillis(50));
    Lock plain = locker.acquire("key", brief).block(LIMIT);
    awaitFree("key", SOON);
    Lock atLeast = locker.acquire("key", brief.holdAtLeast(Duration.ofSeconds(5))).block(LIMIT);
    awaitFree("key", SOON);
    Lock next = locker.acquire("key", OPTIONS).block(LIMIT);

    assertThat(released(plain)).isFalse();
    assertThat(released(atLeast)).isFalse();

    assertThat(server.commandAsString("GET", "key")).isEqualTo(next.token());
    assertThat(server.commandAsLong("PTTL", "key")).isGreaterThan(50_000);
  }

  @Test
  @DisplayName(
      "B40: holdAtLeast is kept by a release whose answer was lost, not by its repeat again")
  void holdAtLeastWithALostAnswer() {
    Lock lock = locker.acquire("key", OPTIONS.holdAtLeast(Duration.ofSeconds(3))).block(LIMIT);
    proxy.dropReplies(true);
    var first = lock.release().toFuture();
    await().until(() -> pttl("key") < 4_000);
    proxy.dropReplies(false);

    assertThat(released(lock)).isTrue();
    await().until(first::isDone);
    assertThat(isFree("key")).isFalse();
    awaitFree("key", Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("B41: a key that is data, not a lock, is named, is no lock and stays untouched")
  void aKeyThatIsData() {
    server.command("SET", "key", "data");
    LockOptions options = OPTIONS.waitAtMost(Duration.ofMillis(200));

    assertThatThrownBy(() -> locker.acquire("key", options).block(LIMIT))
        .isInstanceOfSatisfying(
            LockNotAcquiredException.class,
            e -> {
              assertThat(e.keys()).containsExactly("key");
              assertThat(e.retryAfter()).isEmpty();
              assertThat(e).hasMessageContaining("key");
            });
    Holder holder = locker.inspect("key").block(LIMIT);
    assertThat(holder.metadata()).isEmpty();
    assertThat(holder.remaining()).isEmpty();
    assertThat(server.commandAsString("GET", "key")).isEqualTo("data");
  }

  @Test
  @DisplayName(
      "B41: a lock whose key was overwritten is lost, and its release leaves the new value")
  void anOverwrittenKey() {
    Lock lock = locker.acquire("key", OPTIONS).block(LIMIT);
    server.command("SET", "key", FOREIGN);

    assertThat(lock.ttl().block(LIMIT)).isZero();
    assertThat(released(lock)).isFalse();
    assertThat(server.commandAsString("GET", "key")).isEqualTo(FOREIGN);
  }

  @Test
  @DisplayName("B46: a server that died gives an error, never a lock, and no body runs")
  void aDeadServerGivesNoLock() {
    AtomicInteger bodies = new AtomicInteger();
    LockOptions options = OPTIONS.waitAtMost(Duration.ofMillis(300));
    server.kill();
    try {
      for (Mono<?> call :
          List.of(
              locker.acquire("key", options),
              locker.tryAcquire("key", options),
              locker.withLock("key", options, lock -> Mono.fromCallable(bodies::incrementAndGet)),
              locker
                  .withLockMany("key", options, lock -> Mono.fromCallable(bodies::incrementAndGet))
                  .next())) {
        assertThatThrownBy(() -> call.block(LIMIT)).isInstanceOf(LockStoreException.class);
      }
    } finally {
      server.restart();
    }
    assertThat(bodies).hasValue(0);
    // an attempt that waited for its connection may have come through, and is taken back
    awaitFree("key", SOON);
  }
}
