// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.test.HeldReplies;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** How long a lease lasts, in Redis and for its holder. */
class LeaseTest extends LockerBehindProxy {

  LeaseTest(RedisServer server) {
    super(server, LONG_TIMEOUT);
  }

  private Lock acquire(LockOptions options) {
    return locker.acquire("key", options).block(LIMIT);
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 300, 365})
  @DisplayName("B48 B49: leases of many days last that long, to the longest that is allowed")
  void longLeases(int days) {
    Duration ttl = Duration.ofDays(days);

    Lock lock = acquire(LockOptions.of(ttl));

    assertThat(pttl("key")).isBetween(ttl.toMillis() - 1_000, ttl.toMillis());
    assertThat(lock.remaining())
        .isBetween(ttl.multipliedBy(99).dividedBy(100).minusSeconds(1), ttl);
    lock.extend(ttl).block(LIMIT);
    assertThat(pttl("key")).isBetween(ttl.toMillis() - 1_000, ttl.toMillis());
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();
    assertThat(released(lock)).isTrue();
    await().until(loss::isCompletedExceptionally);
  }

  @Test
  @DisplayName("B47 B48 B50: leases beyond the longest or below the shortest never reach Redis")
  void leasesOutOfRange() {
    Lock lock = acquire(LockOptions.of(Duration.ofSeconds(30)));
    long scripts = asked.scripts();

    for (Duration ttl :
        new Duration[] {
          Duration.ofDays(365).plusMillis(1),
          Duration.ofMillis(Long.MAX_VALUE),
          Duration.ofSeconds(Long.MAX_VALUE),
          Duration.ofDays(365_000_000),
          Duration.ofMillis(10).minusNanos(1),
          Duration.ofNanos(999_999),
          Duration.ZERO,
          Duration.ofMillis(-1),
          Duration.ofSeconds(Long.MIN_VALUE)
        }) {
      assertThatThrownBy(() -> locker.acquire("other", ttl))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> lock.extend(ttl)).isInstanceOf(IllegalArgumentException.class);
    }

    assertThat(asked.scripts()).isEqualTo(scripts);
    assertThat(pttl("key")).isPositive();
  }

  @Test
  @DisplayName("B50 B51: parts of a millisecond are rounded up, in an extension, too")
  void partsOfAMillisecond() {
    Lock lock = acquire(LockOptions.of(Duration.ofMillis(10)).autoRefresh(false));
    await().until(() -> isFree("key"));
    assertThat(lock.isValid()).isFalse();
    Lock again = acquire(LockOptions.of(Duration.ofMillis(1_999).plusNanos(1)));

    again.extend(Duration.ofMillis(2_000).plusNanos(1)).block(LIMIT);

    assertThat(asked.lastExtension("key")).isEqualTo("2001");
    assertThat(released(again)).isTrue();
  }

  @Test
  @DisplayName(
      "B54: a waiter that waits longer than its ttl gets all of its ttl, counted from the grant")
  void waitLongerThanTheTtl() {
    Duration ttl = Duration.ofSeconds(1);
    server.command("SET", "key", "another client", "PX", "1500");

    Lock lock = acquire(LockOptions.of(ttl).waitAtMost(Duration.ofSeconds(5)));

    assertThat(pttl("key")).isBetween(1L, ttl.toMillis());
    assertThat(lock.remaining()).isBetween(Duration.ofMillis(1), ttl);
    lock.release().block(LIMIT);
  }

  @Test
  @DisplayName("B54: a waiter that may wait shorter than the holder's ttl waits that long")
  void waitShorterThanTheTtl() {
    server.command("SET", "key", "another client", "PX", "60000");
    long begin = System.nanoTime();

    assertThatThrownBy(
            () ->
                acquire(LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofMillis(400))))
        .isInstanceOf(LockNotAcquiredException.class);

    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isBetween(Duration.ofMillis(390), Duration.ofSeconds(5));
  }

  @Test
  @DisplayName("B56: a slow answer counts against the lease, time spent waiting does not")
  void slowAnswerCounts() {
    Duration ttl = Duration.ofSeconds(2);
    server.command("SET", "key", "another client", "PX", "800");
    proxy.delayReplies(Duration.ofMillis(300));

    Lock lock = acquire(LockOptions.of(ttl));
    Duration trusted = lock.remaining();
    long pttl = pttl("key");

    assertThat(trusted)
        .isBetween(Duration.ofMillis(1_200), ttl.minusMillis(300 + 20 + 2))
        .isLessThan(Duration.ofMillis(pttl));
    proxy.delayReplies(Duration.ZERO);
    lock.release().block(LIMIT);
  }

  @ParameterizedTest(name = "waits {0} ms")
  @ValueSource(ints = {0, 3_000})
  @DisplayName("B57: a grant that is answered after the ttl is no lock, and is freed")
  void grantAfterTheTtl(int wait) {
    LockOptions once =
        LockOptions.of(Duration.ofSeconds(1))
            .waitAtMost(Duration.ofMillis(wait))
            .retry(Retry.fixedDelay(1, Duration.ofMinutes(1)));
    CompletableFuture<Lock> acquisition;
    try (HeldReplies replies = proxy.holdReplies()) {
      acquisition = locker.acquire("key", once).toFuture();
      awaitTaken("key");
      awaitFree("key", SOON);
      replies.release();
    }

    assertThat(acquisition)
        .failsWithin(LIMIT)
        .withThrowableThat()
        .withCauseInstanceOf(LockStoreException.class);
    await().until(() -> events.count("abandoned") == 1);
    await().until(() -> asked.releases("key") >= 1);
  }

  @Test
  @DisplayName("B57: nor is one of a server that stood still for longer than the ttl")
  void grantOfAServerThatStoodStill() {
    LockOptions once = LockOptions.of(Duration.ofMillis(300)).waitAtMost(Duration.ZERO);
    server.pause();
    CompletableFuture<Lock> acquisition = locker.acquire("key", once).toFuture();
    pass(Duration.ofMillis(400));

    server.resume();

    await().until(acquisition::isCompletedExceptionally);
    await().until(() -> asked.releases("key") >= 1);
    assertThat(isFree("key")).isTrue();
  }

  @Test
  @DisplayName("B58: releasing a lock that is over is false, however it ended")
  void releaseOfALockThatIsOver() {
    LockOptions brief = LockOptions.of(Duration.ofMillis(50)).autoRefresh(false);
    Lock expired = acquire(brief);
    await().until(() -> isFree("key"));
    assertThat(released(expired)).isFalse();

    Lock deleted = acquire(LockOptions.of(Duration.ofSeconds(30)));
    server.command("DEL", "key");
    assertThat(released(deleted)).isFalse();

    Lock taken = acquire(LockOptions.of(Duration.ofSeconds(30)));
    server.command("SET", "key", "another client", "PX", "60000");
    assertThat(released(taken)).isFalse();
    assertThat(server.commandAsString("GET", "key")).isEqualTo("another client");
  }

  @Test
  @DisplayName("B58: a body that outlives its lease ends with the loss, not with a value")
  void bodyThatOutlivesItsLease() {
    LockOptions brief = LockOptions.of(Duration.ofMillis(50)).autoRefresh(false);

    Duration taken =
        timed(
            () ->
                assertThatThrownBy(
                        () ->
                            locker
                                .withLock("key", brief, l -> Mono.delay(Duration.ofSeconds(10)))
                                .block(LIMIT))
                    .isInstanceOf(LockLostException.class));

    assertThat(taken).as("not only noticed when the body ends").isLessThan(Duration.ofSeconds(9));
    await().until(() -> events.count("lost EXPIRED") == 1);
  }

  @Test
  @DisplayName("B58: nor does a body that blocks past its lease the very thread that signals it")
  void bodyThatBlocksPastItsLease() {
    Scheduler only = Schedulers.newSingle("only");
    ReactiveLocker busy = built(ReactiveLocker.builder(store()).publishOn(only));
    LockOptions brief = LockOptions.of(Duration.ofMillis(50)).autoRefresh(false);

    assertThatThrownBy(
            () ->
                busy.withLock(
                        "key",
                        brief,
                        lock ->
                            Mono.fromSupplier(
                                () -> {
                                  long begin = System.nanoTime();
                                  while (System.nanoTime() - begin < 100_000_000) {
                                    // as a long computation does
                                  }
                                  return "late";
                                }))
                    .block(LIMIT))
        .isInstanceOf(LockLostException.class);
    only.dispose();
  }

  @Test
  @DisplayName("B60: the ttl of a key that is gone, foreign or without one is zero, never negative")
  void ttlOfAKeyThatIsNotOurs() {
    Lock lock = acquire(LockOptions.of(Duration.ofSeconds(30)));
    assertThat(lock.ttl().block(LIMIT)).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));

    server.command("PERSIST", "key");
    assertThat(lock.ttl().block(LIMIT)).isZero();
    server.command("SET", "key", "another client", "PX", "60000");
    assertThat(lock.ttl().block(LIMIT)).isZero();
    server.command("SET", "key", "another client");
    assertThat(lock.ttl().block(LIMIT)).isZero();
    server.command("DEL", "key");
    assertThat(lock.ttl().block(LIMIT)).isZero();
    assertThat(released(lock)).isFalse();
  }

  @Test
  @DisplayName("B53: a key without a time to live is no lock, and not waited on for ever")
  void keyWithoutATtl() {
    server.command("SET", "key", "a value of another client");

    assertThatThrownBy(
            () ->
                acquire(LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofMillis(200))))
        .isInstanceOfSatisfying(
            LockNotAcquiredException.class, e -> assertThat(e.retryAfter()).isEmpty());
    assertThat(locker.inspect("key").block(LIMIT).remaining()).isEmpty();
    assertThat(pttl("key")).isEqualTo(-1);
  }
}
