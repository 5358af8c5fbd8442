// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.StoreOperation.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** G4: wherever an acquisition is left, its keys are free again and it asks for nothing more. */
class AbandonedAcquireTest {

  private static final Duration TTL = Duration.ofSeconds(10);
  private static final LockOptions OPTIONS = LockOptions.of(TTL);
  private static final String TOKEN = "0123456789abcdefghijkl";

  private final VirtualLocker v = new VirtualLocker();

  /** Signals for users, for as long as their threads have no time. */
  private final Queue<Runnable> signals = new ArrayDeque<>();

  private final Scheduler busyUsers = Schedulers.fromExecutor(signals::add);

  private static boolean isFree(VirtualLocker v) {
    return v.run(v.memory.inspect("a")).values.isEmpty();
  }

  private void deliverSignals() {
    while (!signals.isEmpty()) {
      signals.remove().run();
    }
  }

  private void assertNothingRemains() {
    v.time.advanceTime();
    assertThat(isFree(v)).isTrue();
    long acquires = v.store.count(ACQUIRE);
    assertThat(v.run(v.locker.close()).end).isEqualTo(SignalType.ON_COMPLETE);
    v.pass(Duration.ofHours(1));
    assertThat(v.store.count(ACQUIRE)).isEqualTo(acquires);
  }

  @Nested
  class CancelledByItsSubscriber {

    @Test
    void beforeItRequested() {
      BaseSubscriber<Lock> subscriber =
          new BaseSubscriber<>() {
            @Override
            protected void hookOnSubscribe(Subscription subscription) {}
          };
      v.locker.acquire("a", OPTIONS).subscribe(subscriber);
      subscriber.cancel();
      subscriber.request(1);
      v.time.advanceTime();

      assertThat(v.store.calls()).isEmpty();
      assertThat(v.observed.events).isEmpty();
      assertNothingRemains();
    }

    @Test
    @DisplayName("B03, B24: cancelled while the command is on its way")
    void whileTheCommandIsOnItsWay() {
      HeldBack held = HeldBack.call();
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
      probe.cancel();
      v.pass(Duration.ofSeconds(1));
      assertThat(v.store.count(RELEASE)).isZero();

      held.letThrough();
      v.time.advanceTime();

      assertThat(v.store.count(RELEASE)).isEqualTo(1);
      assertThat(v.observed.events).containsExactly("notAcquired [a] attempts=1", "abandoned [a]");
      assertNothingRemains();
    }

    @Test
    void whileTheAnswerIsOnItsWay() {
      HeldBack held = HeldBack.answer();
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
      probe.cancel();
      v.pass(Duration.ofSeconds(1));
      assertThat(v.store.count(RELEASE)).isZero();

      held.letThrough();
      v.time.advanceTime();

      assertThat(probe.values).isEmpty();
      assertThat(v.observed.events).containsExactly("notAcquired [a] attempts=1", "abandoned [a]");
      assertNothingRemains();
    }

    @Test
    void whileARefusalIsOnItsWay() {
      v.get(v.another().tryAcquire("a", Duration.ofSeconds(1)));
      HeldBack held = HeldBack.answer();
      v.store.next(ACQUIRE, held);
      v.run(v.locker.acquire("a", OPTIONS)).cancel();

      held.letThrough();
      v.pass(Duration.ofSeconds(1));

      assertThat(v.store.count(RELEASE)).isZero();
      assertThat(v.observed.events).containsExactly("notAcquired [a] attempts=1");
      assertNothingRemains();
    }

    @Test
    void betweenGrantAndDelivery() {
      VirtualLocker slow = new VirtualLocker(builder -> builder.publishOn(busyUsers));
      SignalProbe<Lock> probe = slow.run(slow.locker.acquire("a", OPTIONS));
      assertThat(isFree(slow)).isFalse();

      probe.cancel();
      slow.time.advanceTime();
      assertThat(isFree(slow)).isTrue();
      deliverSignals();

      assertThat(probe.values).isEmpty();
      assertThat(slow.observed.events)
          .containsExactlyInAnyOrder("notAcquired [a] attempts=1", "abandoned [a]");
    }

    @Test
    @DisplayName("B32: cancelled in back-off")
    void whileItWaits() {
      v.get(v.another().tryAcquire("a", Duration.ofSeconds(1)));
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
      v.pass(Duration.ofMillis(500));

      probe.cancel();
      v.pass(Duration.ofSeconds(1));

      assertThat(v.observed.count("notAcquired")).isEqualTo(1);
      assertThat(v.observed.reasons.get(0)).hasMessageContaining("cancelled");
      assertThat(v.store.count(RELEASE)).isZero();
      assertNothingRemains();
    }

    @Test
    @DisplayName("B35: a cancel after the delivery changes nothing")
    void afterTheDelivery() {
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
      probe.cancel();
      v.pass(Duration.ofSeconds(1));

      assertThat(probe.value().isValid()).isTrue();
      assertThat(v.store.count(RELEASE)).isZero();
    }

    @Test
    void twice() {
      HeldBack held = HeldBack.answer();
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
      probe.cancel();
      probe.cancel();
      held.letThrough();
      v.time.advanceTime();

      assertThat(v.store.count(RELEASE)).isEqualTo(1);
      assertThat(v.observed.events).hasSize(2);
    }

    @Test
    void isWaitedForByTheLockerThatCloses() {
      HeldBack held = HeldBack.call();
      v.store.next(ACQUIRE, held);
      v.run(v.locker.acquire("a", OPTIONS)).cancel();
      SignalProbe<Void> close = v.run(v.locker.close());
      assertThat(close.isPending()).isTrue();

      held.letThrough();
      v.time.advanceTime();

      assertThat(close.end).isEqualTo(SignalType.ON_COMPLETE);
      assertThat(v.store.calls())
          .containsExactly(ACQUIRE, RELEASE, ScriptedStore.StoreOperation.CLOSE);
    }

    @Test
    void isReleasedOnceWhenNothingIsInDoubt() {
      HeldBack held = HeldBack.answer();
      v.store.next(ACQUIRE, held);
      v.run(v.locker.acquire("a", OPTIONS)).cancel();
      held.letThrough();
      v.pass(Duration.ofHours(1));

      assertThat(v.store.count(RELEASE)).isEqualTo(1);
    }

    @Test
    @DisplayName("B25: by a timeout operator that races with the grant")
    void byATimeoutOperator() {
      HeldBack held = HeldBack.answer();
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> probe =
          v.run(v.locker.acquire("a", OPTIONS).timeout(Duration.ofMillis(100), v.time));
      v.pass(Duration.ofMillis(100));
      held.letThrough();

      assertThat(probe.error).isNotNull();
      assertNothingRemains();
    }
  }

  @Nested
  class OfUnknownOutcome {

    @Test
    @DisplayName("B04: the keys are freed at once, and again after 1 s and at half the ttl")
    void isReleasedAndAgainLater() {
      v.store.next(ACQUIRE, ScriptedStore.answerLost());
      v.run(v.locker.tryAcquire("a", OPTIONS));
      assertThat(isFree(v)).isTrue();
      assertThat(v.store.count(RELEASE)).isEqualTo(1);

      v.pass(Duration.ofNanos(999_999_999));
      assertThat(v.store.count(RELEASE)).isEqualTo(1);
      v.pass(Duration.ofNanos(1));
      assertThat(v.store.count(RELEASE)).isEqualTo(2);
      v.pass(Duration.ofMillis(3_999));
      assertThat(v.store.count(RELEASE)).isEqualTo(2);
      v.pass(Duration.ofMillis(1));
      assertThat(v.store.count(RELEASE)).isEqualTo(3);
      v.pass(Duration.ofHours(1));
      assertThat(v.store.count(RELEASE)).isEqualTo(3);
    }

    @Test
    void thatTakesEffectLaterIsCaught() {
      v.store.next(
          ACQUIRE, ScriptedStore.delayedOnABrokenConnection(Duration.ofMillis(500), v.time));
      v.run(v.locker.tryAcquire("a", OPTIONS));
      v.pass(Duration.ofMillis(500));
      assertThat(isFree(v)).isFalse();

      v.pass(Duration.ofMillis(500));
      assertThat(isFree(v)).isTrue();
    }

    @Test
    void thatTakesEffectEvenLaterIsCaught() {
      v.store.next(
          ACQUIRE, ScriptedStore.delayedOnABrokenConnection(Duration.ofSeconds(3), v.time));
      v.run(v.locker.tryAcquire("a", OPTIONS));
      v.pass(Duration.ofSeconds(3));
      assertThat(isFree(v)).isFalse();

      v.pass(Duration.ofSeconds(2));
      assertThat(isFree(v)).isTrue();
    }

    @Test
    void thatTookEffectButWasNotConfirmedByReplicasIsReleased() {
      v.store.next(
          ACQUIRE, ScriptedStore.executedButFails(StoreProblem.Reason.NOT_REPLICATED, true));
      v.run(v.locker.tryAcquire("a", OPTIONS));

      assertNothingRemains();
    }

    @Test
    @DisplayName("B43: the next attempt of the same acquisition is not blocked by its own key")
    void doesNotBlockTheNextAttempt() {
      v.store.next(ACQUIRE, ScriptedStore.answerLost());
      SignalProbe<Lock> probe =
          v.run(v.locker.acquire("a", OPTIONS.retry(Retry.fixedDelay(1, Duration.ofSeconds(1)))));
      v.pass(Duration.ofSeconds(1));

      assertThat(v.get(probe.value().ttl())).isEqualTo(TTL);
      v.get(probe.value().release());
      assertNothingRemains();
    }

    @Test
    void isNotReleasedWhileAnotherAttemptIsUnanswered() {
      HeldBack second = HeldBack.call();
      v.store.next(ACQUIRE, ScriptedStore.answerLost(), second);
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
      v.pass(Duration.ofSeconds(1));
      probe.cancel();
      v.pass(Duration.ofSeconds(1));
      assertThat(v.store.calls()).containsExactly(ACQUIRE, ACQUIRE);

      second.letThrough();

      assertNothingRemains();
    }

    @Test
    void thatIsNotWaitedForIsReleased() {
      v.store.next(ACQUIRE, ScriptedStore.answerLost());
      SignalProbe<Lock> probe =
          v.run(v.locker.acquire("a", OPTIONS.retry(Retry.fixedDelay(1, Duration.ofSeconds(1)))));
      probe.cancel();

      assertNothingRemains();
    }
  }

  @Nested
  class WithATokenOfTheUsers {

    private final LockOptions own = OPTIONS.token(TOKEN);

    @Test
    void isReleasedIfItWasFresh() {
      HeldBack held = HeldBack.answer();
      v.store.next(ACQUIRE, held);
      v.run(v.locker.acquire("a", own)).cancel();
      held.letThrough();

      assertNothingRemains();
    }

    @Test
    void isLeftToItsTtlAndReportedIfItWasReentered() {
      v.get(v.another().acquire("a", own));
      HeldBack held = HeldBack.answer();
      v.store.next(ACQUIRE, held);
      v.run(v.locker.acquire("a", own)).cancel();
      held.letThrough();
      v.pass(Duration.ofSeconds(5));

      assertThat(v.store.count(RELEASE)).isZero();
      assertThat(v.observed.count("abandoned")).isEqualTo(1);
      v.pass(Duration.ofSeconds(5));
      assertNothingRemains();
    }

    @Test
    void isLeftToItsTtlIfItIsInDoubt() {
      v.store.next(ACQUIRE, ScriptedStore.answerLost());
      v.run(v.locker.tryAcquire("a", own));
      v.pass(Duration.ofSeconds(9));

      assertThat(v.store.count(RELEASE)).isZero();
      v.pass(Duration.ofSeconds(1));
      assertNothingRemains();
    }
  }

  @Nested
  class GrantedLate {

    private final VirtualLocker v =
        new VirtualLocker(builder -> builder.commandTimeout(Duration.ofSeconds(1)));
    private final HeldBack held = HeldBack.answer();

    @Test
    @DisplayName("B57: after its deadline, so it is not delivered but freed")
    void afterTheDeadline() {
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> probe = v.run(v.locker.tryAcquire("a", OPTIONS.ttl(Duration.ofSeconds(1))));
      v.pass(Duration.ofMillis(995));
      held.letThrough();
      v.time.advanceTime();

      assertThat(probe.error).isInstanceOf(LockStoreException.class);
      assertThat(isFree(v)).isTrue();
      assertThat(v.observed.events)
          .containsExactlyInAnyOrder("notAcquired [a] attempts=1", "abandoned [a]");
    }

    @Test
    void afterTheDeadlineToAWaiterIsAskedForAgain() {
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS.ttl(Duration.ofSeconds(1))));
      v.pass(Duration.ofMillis(995));
      held.letThrough();
      v.pass(Duration.ofSeconds(1));

      assertThat(v.store.count(ACQUIRE)).isEqualTo(2);
      assertThat(probe.value().keys()).containsExactly("a");
    }

    @Test
    void butPublishedAfterTheDeadline() {
      VirtualLocker slow = new VirtualLocker(builder -> builder.publishOn(busyUsers));
      SignalProbe<Lock> probe = slow.run(slow.locker.tryAcquire("a", OPTIONS));
      slow.pass(Duration.ofMillis(9_950));
      deliverSignals();

      assertThat(probe.values).isEmpty();
      assertThat(probe.error).isInstanceOf(LockStoreException.class);
      slow.time.advanceTime();
      assertThat(isFree(slow)).isTrue();
    }

    @Test
    void afterTryAcquireHasFailed() {
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> probe = v.run(v.locker.tryAcquire("a", OPTIONS));
      v.pass(Duration.ofSeconds(1));
      assertThat(probe.error).isInstanceOf(LockStoreException.class);
      assertThat(v.store.count(RELEASE)).isZero();

      held.letThrough();
      v.time.advanceTime();
      assertThat(isFree(v)).isTrue();
      assertThat(v.observed.count("abandoned")).isEqualTo(1);
    }

    @Test
    void afterTheAttemptTimedOutButBeforeTheDeadlineIsUsed() {
      v.store.next(ACQUIRE, held);
      v.store.always(ACQUIRE, ScriptedStore.swallowed());
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
      v.pass(Duration.ofSeconds(3));
      assertThat(probe.isPending()).isTrue();

      held.letThrough();
      v.time.advanceTime();

      assertThat(probe.value().remaining()).isEqualTo(Duration.ofMillis(10_000 - 102 - 3_000));
    }

    @Test
    void delaysTheReleaseOfTheLockThatALaterAttemptGot() {
      HeldBack call = HeldBack.call();
      v.store.next(ACQUIRE, call);
      SignalProbe<Lock> probe =
          v.run(v.locker.acquire("a", OPTIONS.retry(Retry.fixedDelay(1, Duration.ofSeconds(1)))));
      v.pass(Duration.ofSeconds(2));
      v.run(probe.value().release());
      assertThat(v.store.count(RELEASE)).isZero();

      call.letThrough();
      v.time.advanceTime();

      assertThat(v.store.count(RELEASE)).isEqualTo(1);
      assertThat(isFree(v)).isTrue();
    }

    @Test
    void afterItWasGivenUpForLostIsFreedAllTheSame() {
      HeldBack call = HeldBack.call();
      v.store.next(ACQUIRE, call);
      v.run(v.locker.tryAcquire("a", OPTIONS));
      v.pass(Duration.ofMinutes(1));

      call.letThrough();
      v.time.advanceTime();

      assertThat(isFree(v)).isTrue();
    }

    @Test
    void afterItWasGivenUpForLostIsFreedAlsoWithATokenOfTheUsers() {
      HeldBack call = HeldBack.call();
      v.store.next(ACQUIRE, call);
      v.run(v.locker.tryAcquire("a", OPTIONS.token(TOKEN)));
      v.pass(Duration.ofMinutes(1));

      call.letThrough();
      v.time.advanceTime();

      assertThat(isFree(v)).isTrue();
    }

    @Test
    void afterTheLockThatALaterAttemptGotHasExpiredIsFreed() {
      HeldBack call = HeldBack.call();
      v.store.next(ACQUIRE, call);
      SignalProbe<Lock> probe =
          v.run(v.locker.acquire("a", OPTIONS.retry(Retry.fixedDelay(1, Duration.ofSeconds(1)))));
      v.pass(Duration.ofSeconds(2));
      assertThat(probe.value().isValid()).isTrue();
      v.pass(Duration.ofMillis(10_050));
      assertThat(probe.value().isValid()).isFalse();

      call.letThrough();
      v.time.advanceTime();

      assertThat(isFree(v)).isTrue();
    }

    @Test
    void afterAnotherAttemptWasGrantedAndReleasedIsFreed() {
      HeldBack call = HeldBack.call();
      v.store.next(ACQUIRE, call);
      SignalProbe<Lock> probe =
          v.run(v.locker.acquire("a", OPTIONS.retry(Retry.fixedDelay(1, Duration.ofSeconds(1)))));
      v.pass(Duration.ofSeconds(2));
      SignalProbe<Boolean> release = v.run(probe.value().release());
      v.pass(Duration.ofMinutes(1));
      assertThat(release.end).isNotNull();

      call.letThrough();
      v.time.advanceTime();

      assertThat(isFree(v)).isTrue();
    }
  }

  @Nested
  class NeverAnswered {

    @Test
    @DisplayName("G8: tryAcquire ends with the time for a command")
    void tryAcquireEndsWithTheTimeForACommand() {
      v.store.always(ACQUIRE, ScriptedStore.swallowed());
      SignalProbe<Lock> probe = v.run(v.locker.tryAcquire("a", OPTIONS));

      v.pass(Duration.ofMillis(1_999));
      assertThat(probe.isPending()).isTrue();
      v.pass(Duration.ofMillis(1));
      assertThat(probe.error)
          .isInstanceOfSatisfying(
              LockStoreException.class,
              e -> assertThat(e.reason()).isEqualTo(StoreProblem.Reason.UNKNOWN_OUTCOME));
    }

    @Test
    void tryAcquireEndsWithTheTtlIfThatIsShorter() {
      v.store.always(ACQUIRE, ScriptedStore.swallowed());
      SignalProbe<Lock> probe = v.run(v.locker.tryAcquire("a", Duration.ofMillis(500)));
      v.pass(Duration.ofMillis(500));

      assertThat(probe.error).isInstanceOf(LockStoreException.class);
    }

    @Test
    void acquireEndsWithWaitAtMostIfThatIsShorter() {
      v.store.always(ACQUIRE, ScriptedStore.swallowed());
      SignalProbe<Lock> probe =
          v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofMillis(300))));
      v.pass(Duration.ofMillis(300));

      assertThat(probe.error).isInstanceOf(LockStoreException.class);
    }

    @Test
    void isForgottenWhenItsTtlIsOver() {
      v.store.next(ACQUIRE, ScriptedStore.swallowed());
      v.run(v.locker.tryAcquire("a", OPTIONS));
      v.pass(Duration.ofSeconds(12));

      assertThat(v.run(v.locker.close()).end).isEqualTo(SignalType.ON_COMPLETE);
    }
  }
}
