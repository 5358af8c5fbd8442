// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.StoreOperation.TRANSFER;
import static io.monolock.engine.ScriptedStore.fails;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import reactor.test.util.RaceTestUtils;
import reactor.util.retry.Retry;

/** No waiter idles, though the store gives no hints and the specs hardly ever try again. */
class IdleWaiterTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofMinutes(30))
          .waitAtMost(Duration.ofMinutes(20))
          .retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMinutes(10)));

  private static final Duration SOON = Duration.ofMillis(50);

  private VirtualLocker v = new VirtualLocker();

  private void assertAsksAgainWhenRefusedWhileTheKeysAreFreed() {
    Lock holder = v.get(v.locker.acquire("a", OPTIONS));
    HeldBack refusal = HeldBack.answer();
    v.store.next(ACQUIRE, refusal);
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS));
    v.run(holder.release());
    refusal.letThrough();
    v.pass(SOON);

    assertThat(waiter.values).as("the waiter's locks").hasSize(1);
  }

  @Test
  void waiterThatIsRefusedWhileTheKeysAreHandedOverGetsThem() {
    assertAsksAgainWhenRefusedWhileTheKeysAreFreed();
  }

  @Test
  void waiterThatIsRefusedWhileTheKeysAreFreedForAStepBackAsksAgain() {
    v = new VirtualLocker(builder -> builder.turn(Duration.ZERO));
    assertAsksAgainWhenRefusedWhileTheKeysAreFreed();
  }

  /** The next one has another ttl, so that the keys go to it by a command. */
  private void assertNextGetsTheKeysThoughTheHandOverFailed(Lock holder) {
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS.ttl(Duration.ofMinutes(20))));
    v.store.next(TRANSFER, fails(StoreProblem.Reason.SERVER_STATE, true));
    SignalProbe<Boolean> release = v.run(holder.release());
    v.pass(SOON);

    assertThat(release.value()).isTrue();
    assertThat(waiter.values).as("the waiter's locks").hasSize(1);
  }

  @Test
  void waiterBehindAnAcquiredLockGetsTheKeysThoughTheHandOverFailed() {
    assertNextGetsTheKeysThoughTheHandOverFailed(v.get(v.locker.acquire("a", OPTIONS)));
  }

  @Test
  void waiterBehindAnAttachedLockGetsTheKeysThoughTheHandOverFailed() {
    String token = v.get(v.another().acquire("a", OPTIONS)).token();
    Lock attached = v.get(v.locker.attach(List.of("a"), token, OPTIONS));
    assertNextGetsTheKeysThoughTheHandOverFailed(attached);
  }

  /** A lock that was waited for, so that its line knows who holds it. */
  private void holdAfterAnotherOne() {
    Lock first = v.get(v.locker.acquire("a", OPTIONS));
    SignalProbe<Lock> second = v.run(v.locker.acquire("a", OPTIONS));
    v.get(first.release());
    assertThat(second.values).hasSize(1);
  }

  @Test
  void waiterBehindALockThatIsReleasedByForceGetsTheKeys() {
    holdAfterAnotherOne();
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(SOON); // it has asked, and was refused

    v.get(v.locker.forceRelease("a"));
    v.pass(SOON);

    assertThat(waiter.values).as("the waiter's locks").hasSize(1);
  }

  @Test
  void waiterBehindALockThatWasDeletedGetsTheKeysThatAnotherTokenReleases() {
    holdAfterAnotherOne();
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(SOON); // as above
    v.get(v.memory.forceRelease("a"));
    Lock other = v.get(v.locker.acquire("a", OPTIONS.token("x".repeat(22))));
    assertThat(waiter.isPending()).isTrue();

    v.get(other.release());
    v.pass(SOON);

    assertThat(waiter.values).as("the waiter's locks").hasSize(1);
  }

  @Test
  void theFirstAsksOnceASecondAlsoWhenAnotherOneJoinsWhileItIsRefused() {
    v.get(v.another().acquire("a", LockOptions.of(Duration.ofDays(1))));
    for (int round = 0; round < 500; round++) {
      SignalProbe<Lock> one = new SignalProbe<>();
      SignalProbe<Lock> two = new SignalProbe<>();
      int pause = ThreadLocalRandom.current().nextInt(400);
      long sent = v.store.count(ACQUIRE);
      RaceTestUtils.race(
          () -> v.locker.acquire("a", OPTIONS).subscribe(one),
          () -> {
            for (int i = 0; i < pause; i++) {
              Thread.onSpinWait();
            }
            v.locker.acquire("a", OPTIONS).subscribe(two);
          });
      v.pass(Duration.ofMillis(2_500));

      assertThat(v.store.count(ACQUIRE) - sent)
          .as("attempts of round %s in 2.5 s", round)
          .isGreaterThanOrEqualTo(3);
      one.cancel();
      two.cancel();
      v.time.advanceTime();
    }
  }
}
