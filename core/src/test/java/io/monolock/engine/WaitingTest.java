// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;
import reactor.util.retry.Retry;

class WaitingTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));
  private static final Retry EVERY_100_MS =
      Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(100));
  private static final Retry ALMOST_NEVER = Retry.fixedDelay(Long.MAX_VALUE, Duration.ofHours(1));

  private final VirtualLocker v = new VirtualLocker();

  private Lock heldByAnother(Duration ttl) {
    return v.get(v.another().tryAcquire("a", ttl));
  }

  private LockNotAcquiredException busy(SignalProbe<Lock> probe) {
    assertThat(probe.error).isInstanceOf(LockNotAcquiredException.class);
    return (LockNotAcquiredException) probe.error;
  }

  @Test
  void waiterTakesOverByItsRetryDelayWhenTheHolderReleases() {
    Lock holder = heldByAnother(Duration.ofSeconds(10));
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS.retry(EVERY_100_MS)));
    v.pass(Duration.ofMillis(150));
    v.get(holder.release());

    v.pass(Duration.ofNanos(49_999_999));
    assertThat(waiter.isPending()).isTrue();
    v.pass(Duration.ofNanos(1));
    assertThat(waiter.value().isValid()).isTrue();
    assertThat(v.observed.events).containsExactly("waiting [a]", "acquired [a] attempts=3");
  }

  @Test
  void waiterTakesOverWhenTheTtlOfTheHolderEndsThoughItsRetryDelayIsLonger() {
    heldByAnother(Duration.ofSeconds(1));
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS.retry(ALMOST_NEVER)));

    v.pass(Duration.ofMillis(1_000));
    assertThat(waiter.isPending()).isTrue();
    v.pass(Duration.ofMillis(1));
    assertThat(waiter.value().isValid()).isTrue();
    assertThat(v.store.count(ACQUIRE)).isEqualTo(2);
  }

  @Test
  void waiterFollowsAHolderThatProlongsItsLease() {
    Lock holder = heldByAnother(Duration.ofSeconds(1));
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS.retry(ALMOST_NEVER)));
    v.pass(Duration.ofMillis(500));
    v.run(holder.extend(Duration.ofSeconds(2)));

    v.pass(Duration.ofMillis(2_000));
    assertThat(waiter.isPending()).isTrue();
    v.pass(Duration.ofMillis(1));
    assertThat(waiter.value().isValid()).isTrue();
    assertThat(v.store.count(ACQUIRE)).isEqualTo(3);
  }

  @Test
  void waitAtMostIsHonouredExactly() {
    heldByAnother(Duration.ofSeconds(10));
    SignalProbe<Lock> waiter =
        v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofSeconds(1))));

    v.pass(Duration.ofNanos(999_999_999));
    assertThat(waiter.isPending()).isTrue();
    v.pass(Duration.ofNanos(1));
    assertThat(busy(waiter).waited()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  @DisplayName("B09: waiters on a lock that is never freed end, and nothing of them runs on")
  void waiterThatGaveUpSendsNothingMore() {
    heldByAnother(Duration.ofDays(1));
    v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofSeconds(1))));
    v.pass(Duration.ofSeconds(1));
    long sent = v.store.count(ACQUIRE);

    v.pass(Duration.ofHours(1));

    assertThat(v.store.count(ACQUIRE)).isEqualTo(sent);
    assertThat(v.run(v.locker.close()).end).isEqualTo(SignalType.ON_COMPLETE);
  }

  @Test
  void theErrorHasTheAttemptsAndWhatIsLeftOfTheHoldersTtl() {
    heldByAnother(Duration.ofSeconds(10));
    SignalProbe<Lock> waiter =
        v.run(
            v.locker.acquire(
                "a", OPTIONS.retry(EVERY_100_MS).waitAtMost(Duration.ofMillis(1_050))));
    v.pass(Duration.ofMillis(1_050));

    assertThat(busy(waiter).attempts()).isEqualTo(11);
    assertThat(v.store.count(ACQUIRE)).isEqualTo(11);
    assertThat(busy(waiter).retryAfter()).contains(Duration.ofMillis(10_000 - 1_050));
  }

  @Test
  void whatIsLeftOfTheHoldersTtlIsRightAlsoAfterLaterTroubleWithTheStore() {
    heldByAnother(Duration.ofSeconds(10));
    v.store.next(ACQUIRE, ScriptedStore.works());
    v.store.always(ACQUIRE, ScriptedStore.fails(UNAVAILABLE, true));
    SignalProbe<Lock> waiter =
        v.run(v.locker.acquire("a", OPTIONS.retry(EVERY_100_MS).waitAtMost(Duration.ofSeconds(2))));
    v.pass(Duration.ofSeconds(2));

    assertThat(busy(waiter).retryAfter()).contains(Duration.ofSeconds(8));
  }

  @Test
  void theObserverIsCalledOnceForWaiting() {
    heldByAnother(Duration.ofSeconds(10));
    v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofSeconds(1))));
    v.pass(Duration.ofSeconds(1));

    assertThat(v.store.count(ACQUIRE)).isGreaterThan(2);
    assertThat(v.observed.count("waiting")).isEqualTo(1);
    assertThat(v.observed.count("notAcquired")).isEqualTo(1);
  }

  @Test
  @DisplayName("B54: the full ttl is counted from the grant, however long the wait was")
  void waitingIsNotTakenFromTheTtl() {
    heldByAnother(Duration.ofSeconds(5));
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", LockOptions.of(Duration.ofSeconds(1))));
    v.pass(Duration.ofMillis(5_001));

    assertThat(v.get(waiter.value().ttl())).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  @DisplayName("B56: the deadline is counted from just before the attempt that succeeded")
  void theDeadlineIsCountedFromTheSuccessfulAttempt() {
    heldByAnother(Duration.ofSeconds(5));
    HeldBack slow = HeldBack.answer();
    v.store.next(ACQUIRE, ScriptedStore.works(), slow);
    SignalProbe<Lock> waiter =
        v.run(v.locker.acquire("a", OPTIONS.ttl(Duration.ofSeconds(2)).retry(ALMOST_NEVER)));
    v.pass(Duration.ofMillis(5_001));
    v.pass(Duration.ofMillis(200));
    slow.letThrough();
    v.time.advanceTime();

    assertThat(waiter.value().remaining()).isEqualTo(Duration.ofMillis(2_000 - 20 - 2 - 200));
  }

  @Test
  void theObserverGetsHowLongTheWinnerWaited() {
    heldByAnother(Duration.ofSeconds(5));
    v.run(v.locker.acquire("a", OPTIONS.retry(ALMOST_NEVER)));
    v.pass(Duration.ofMillis(5_001));

    assertThat(v.observed.durations).containsExactly(Duration.ofMillis(5_001));
  }

  @Test
  @DisplayName("B34: of many waiters, each gets the lock or an error, never both")
  void everyWaiterEndsOnce() {
    heldByAnother(Duration.ofMillis(500));
    LockOptions options = OPTIONS.waitAtMost(Duration.ofSeconds(3));
    int[] ends = new int[3];
    for (int i = 0; i < 50; i++) {
      v.locker
          .withLock("a", options, lock -> Mono.delay(Duration.ofMillis(100), v.time))
          .subscribe(any -> ends[0]++, e -> ends[1]++, () -> ends[2]++);
    }
    v.pass(Duration.ofSeconds(10));

    assertThat(ends[0]).isGreaterThan(2).isEqualTo(ends[2]);
    assertThat(ends[0] + ends[1]).isCloseTo(50, within(0));
    v.get(v.another().tryAcquire("a", OPTIONS));
  }
}
