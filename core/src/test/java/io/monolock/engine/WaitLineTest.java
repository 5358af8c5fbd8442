// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.StoreOperation.RELEASE;
import static io.monolock.engine.ScriptedStore.StoreOperation.TRANSFER;
import static io.monolock.store.StoreProblem.Reason.PERMISSION;
import static io.monolock.store.StoreProblem.Reason.SERVER_STATE;
import static io.monolock.store.StoreProblem.Reason.UNAVAILABLE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

@DisplayName("G9: the line of waiters in one locker")
class WaitLineTest {

  private static final Duration TTL = Duration.ofSeconds(10);
  private static final Retry ALMOST_NEVER = Retry.fixedDelay(Long.MAX_VALUE, Duration.ofHours(1));
  private static final LockOptions OPTIONS =
      LockOptions.of(TTL).retry(ALMOST_NEVER).waitAtMost(Duration.ofSeconds(60));

  private VirtualLocker v = new VirtualLocker();

  private Lock heldHere() {
    return v.get(v.locker.tryAcquire("a", TTL));
  }

  private Lock heldElsewhere() {
    return v.get(v.another().tryAcquire("a", TTL));
  }

  private SignalProbe<Lock> waiter() {
    return v.run(v.locker.acquire("a", OPTIONS));
  }

  private List<SignalProbe<Lock>> waiters(int count) {
    List<SignalProbe<Lock>> waiters = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      waiters.add(waiter());
    }
    return waiters;
  }

  private static long served(List<SignalProbe<Lock>> waiters) {
    return waiters.stream().filter(waiter -> !waiter.values.isEmpty()).count();
  }

  @Nested
  class StandingInLine {

    @Test
    void onlyTheFirstWaiterAsksTheStore() {
      heldElsewhere();
      for (int i = 0; i < 100; i++) {
        v.run(v.locker.acquire("a", LockOptions.of(TTL).waitAtMost(Duration.ofSeconds(5))));
      }
      v.pass(Duration.ofSeconds(4));

      assertThat(v.store.count(ACQUIRE)).isGreaterThan(4);
      assertThat(new HashSet<>(v.store.tokens())).hasSize(1);
      assertThat(v.observed.count("waiting")).isEqualTo(100);
    }

    @Test
    void theFirstWaiterAsksAtLeastOnceASecondWhileOthersStandBehind() {
      heldElsewhere();
      waiter();
      v.pass(Duration.ofMillis(3_500));
      assertThat(v.store.count(ACQUIRE)).isEqualTo(1);

      waiter();
      v.pass(Duration.ofMillis(3_500));
      assertThat(v.store.count(ACQUIRE)).isEqualTo(4);
    }

    @Test
    void tryAcquireNeitherOvertakesWaitersNorSendsACommand() {
      heldElsewhere();
      waiter();
      long sent = v.store.count(ACQUIRE);

      SignalProbe<Lock> trying = v.run(v.locker.tryAcquire("a", TTL));
      SignalProbe<Lock> shortWaiter =
          v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ZERO)));

      assertThat(trying.values).isEmpty();
      assertThat(trying.error).isNull();
      assertThat(trying.end).isNotNull();
      LockNotAcquiredException busy = shortWaiter.error(LockNotAcquiredException.class);
      assertThat(busy.attempts()).isZero();
      assertThat(busy.retryAfter()).contains(TTL);
      assertThat(busy).hasMessageContaining("others wait for [a]");
      assertThat(v.store.count(ACQUIRE)).isEqualTo(sent);
    }

    @Test
    void tryAcquireIsNotRefusedBecauseOfAWaiterThatWasNotRefused() {
      v.store.next(ACQUIRE, HeldBack.call());
      SignalProbe<Lock> inFlight = waiter();

      assertThat(v.get(v.locker.tryAcquire("a", TTL)).isValid()).isTrue();
      assertThat(inFlight.isPending()).isTrue();
    }

    @Test
    void otherSetsOfKeysAreOtherLinesEvenIfTheyOverlap() {
      v.get(v.another().tryAcquire("b", TTL));
      SignalProbe<Lock> both = v.run(v.locker.acquire(List.of("a", "b"), OPTIONS));

      assertThat(waiter().value().isValid()).isTrue();
      assertThat(both.isPending()).isTrue();
    }

    @Test
    void aLineThatHasToLeaveTheKeysToAnOlderWaiterAsksWhenThatOneIsServed() {
      Lock foreign = v.get(v.another().tryAcquire("b", TTL));
      Retry often = Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(20));
      SignalProbe<Lock> older = v.run(v.locker.acquire(List.of("a", "b"), OPTIONS.retry(often)));
      SignalProbe<Lock> overtaking = waiter();
      for (int i = 0; i < 20 && !overtaking.isPending(); i++) {
        v.get(overtaking.value().release());
        overtaking = waiter();
      }
      overtaking.cancel();
      SignalProbe<Lock> younger = v.run(v.locker.acquire(List.of("a", "c"), OPTIONS));
      assertThat(younger.isPending()).isTrue();

      v.get(foreign.release());
      v.pass(Duration.ofMillis(50));
      v.get(older.value().release());
      v.pass(Duration.ofMillis(50));

      assertThat(younger.value().isValid()).isTrue();
    }

    @Test
    void theNextWaiterAsksAtOnceWhenTheFirstCancels() {
      Lock holder = heldElsewhere();
      List<SignalProbe<Lock>> waiters = waiters(2);
      v.get(holder.release());

      waiters.get(0).cancel();
      v.pass(Duration.ZERO);

      assertThat(waiters.get(1).value().isValid()).isTrue();
    }

    @Test
    void theNextWaiterAsksAtOnceWhenTheTimeOfTheFirstIsOver() {
      Lock holder = heldElsewhere();
      v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofMillis(500))));
      SignalProbe<Lock> next = waiter();
      v.pass(Duration.ofMillis(400));
      v.get(holder.release());

      v.pass(Duration.ofMillis(100));

      assertThat(next.value().isValid()).isTrue();
    }

    @Test
    void aWaiterBehindEndsByItsOwnTimeWithTheAnswerThatTheFirstGot() {
      heldElsewhere();
      waiter();
      SignalProbe<Lock> shortWaiter =
          v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofSeconds(1))));
      v.pass(Duration.ofMillis(999));
      assertThat(shortWaiter.isPending()).isTrue();
      v.pass(Duration.ofMillis(1));

      LockNotAcquiredException busy = shortWaiter.error(LockNotAcquiredException.class);
      assertThat(busy.attempts()).isZero();
      assertThat(busy.retryAfter()).contains(Duration.ofSeconds(9));
    }

    @Test
    void aWaiterBehindWithoutAnyAnswerEndsWithTheFailureOfTheStore() {
      v.store.always(ACQUIRE, ScriptedStore.fails(UNAVAILABLE, true));
      waiter();
      SignalProbe<Lock> behind =
          v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofSeconds(1))));
      v.pass(Duration.ofSeconds(1));

      assertThat(behind.error(LockStoreException.class).reason())
          .isEqualTo(StoreProblem.Reason.UNAVAILABLE);
    }

    @Test
    void aTokenOfTheUsersNeverStandsInTheLine() {
      String token = "aTokenOfTheUsers_22chr";
      LockOptions known = OPTIONS.token(token);
      v.get(v.locker.acquire("a", known));
      waiters(3);

      Lock again = v.run(v.locker.acquire("a", known)).value();

      assertThat(again.token()).isEqualTo(token);
    }

    @Test
    void aTokenOfTheUsersThatHadToWaitLeavesNothingBehind() {
      Lock holder = heldElsewhere();
      SignalProbe<Lock> known =
          v.run(v.locker.acquire("a", OPTIONS.token("aTokenOfTheUsers_22chr")));
      SignalProbe<Lock> next = waiter();
      v.get(holder.release());
      v.store.wakeUp("a");
      v.pass(Duration.ofMillis(1));

      v.get(known.value().release());

      assertThat(next.value().isValid()).isTrue();
      v.get(next.value().release());
      assertThat(v.store.wakeUpSubscribers()).isZero();
      assertThat(v.lines()).isZero();
    }

    @Test
    void closingEndsTheWholeLineWithoutACommand() {
      heldElsewhere();
      List<SignalProbe<Lock>> waiters = waiters(50);
      long sent = v.store.count(ACQUIRE);

      v.run(v.locker.close());

      waiters.forEach(waiter -> waiter.error(LockerClosedException.class));
      assertThat(v.store.count(ACQUIRE)).isEqualTo(sent);
    }
  }

  @Nested
  class HandingOver {

    private final LockOptions other = OPTIONS.ttl(TTL.multipliedBy(2));

    /** Of another ttl than the holder, so that the keys go to it by a command. */
    private SignalProbe<Lock> otherWaiter() {
      return v.run(v.locker.acquire("a", other));
    }

    @Test
    @DisplayName("G12: a lease is passed on to the next waiter, with its token, without a command")
    void aReleasePassesTheLeaseOnWithoutACommand() {
      Lock holder = heldHere();
      Duration deadline = holder.remaining();
      SignalProbe<Lock> next = waiter();
      long sent = v.store.calls().size();

      assertThat(v.get(holder.release())).isTrue();

      assertThat(next.value().isValid()).isTrue();
      assertThat(next.value().remaining()).isEqualTo(deadline);
      assertThat(holder.isValid()).isFalse();
      assertThat(v.store.calls()).hasSize((int) sent);
      assertThat(v.observed.events)
          .contains("acquired [a] attempts=1", "released [a] wasOurs=true");
      assertThat(v.store.tokens()).contains(next.value().token());
      assertThat(holder.token()).isNotEqualTo(next.value().token());
      assertThat(v.get(next.value().ttl())).isPositive();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoCallersWhoTakeTurnsSendHardlyACommand(boolean isScoped) {
      Mono<?> once =
          isScoped
              ? v.locker.withLock("a", OPTIONS, lock -> Mono.just("body"))
              : v.locker.acquire("a", OPTIONS).flatMap(Lock::release);

      Lock holder = heldHere();
      SignalProbe<?> both = v.run(Flux.merge(once.repeat(99), once.repeat(99)));
      v.get(holder.release());

      assertThat(both.values).hasSize(200);
      assertThat(v.store.calls()).hasSizeLessThan(20);
    }

    @Test
    void aReleaseHandsTheKeysToTheNextWaiterInOneCommand() {
      Lock holder = heldHere();
      SignalProbe<Lock> next = otherWaiter();
      long sent = v.store.calls().size();

      assertThat(v.get(holder.release())).isTrue();

      assertThat(next.value().isValid()).isTrue();
      assertThat(v.store.calls()).hasSize((int) sent + 1).endsWith(TRANSFER);
    }

    @Test
    void allAreServedInTheOrderInWhichTheyCame() {
      Lock holder = heldHere();
      List<Integer> served = new ArrayList<>();
      List<Integer> expected = new ArrayList<>();
      for (int i = 0; i < 25; i++) {
        int number = i;
        expected.add(i);
        v.run(v.locker.withLock("a", OPTIONS, lock -> Mono.fromRunnable(() -> served.add(number))));
      }

      v.run(holder.release());

      assertThat(served).isEqualTo(expected);
      assertThat(v.isFree("a")).isTrue();
    }

    @Test
    void eachHolderGetsAFencingNumberOfItsOwn() {
      Lock first = v.get(v.locker.acquire("a", OPTIONS.fenced(true)));
      SignalProbe<Lock> next = v.run(v.locker.acquire("a", OPTIONS.fenced(true)));

      v.get(first.release());

      assertThat(next.value().fencingToken().getAsLong())
          .isGreaterThan(first.fencingToken().getAsLong());
    }

    @Test
    void aWaiterThatCancelledInTheMiddleIsLeftOut() {
      Lock holder = heldHere();
      List<SignalProbe<Lock>> waiters = List.of(otherWaiter(), waiter(), waiter());
      waiters.get(1).cancel();

      v.get(holder.release());
      v.get(waiters.get(0).value().release());

      assertThat(waiters.get(1).values).isEmpty();
      assertThat(waiters.get(2).value().isValid()).isTrue();
      assertThat(v.store.count(TRANSFER)).isEqualTo(2);
    }

    @Test
    @DisplayName("B27: a lock that is handed to a waiter that cancels is passed on")
    void aWaiterThatCancelsDuringItsHandOverPassesTheKeysOn() {
      Lock holder = heldHere();
      List<SignalProbe<Lock>> waiters = List.of(otherWaiter(), otherWaiter());
      HeldBack held = HeldBack.answer();
      v.store.next(TRANSFER, held);
      v.run(holder.release());

      waiters.get(0).cancel();
      held.letThrough();
      v.pass(Duration.ZERO);

      assertThat(waiters.get(0).values).isEmpty();
      assertThat(waiters.get(1).value().isValid()).isTrue();
      assertThat(v.observed.count("abandoned")).isZero();
    }

    @Test
    void theLastWaiterThatCancelsDuringItsHandOverFreesTheKeys() {
      Lock holder = heldHere();
      SignalProbe<Lock> only = otherWaiter();
      HeldBack held = HeldBack.answer();
      v.store.next(TRANSFER, held);
      v.run(holder.release());

      only.cancel();
      held.letThrough();
      v.pass(Duration.ZERO);

      assertThat(v.isFree("a")).isTrue();
      assertThat(v.lines()).isZero();
    }

    @Test
    void aHandOverThatTheStoreCannotDoIsFollowedByAPlainRelease() {
      Lock holder = heldHere();
      SignalProbe<Lock> next = otherWaiter();
      v.store.next(TRANSFER, ScriptedStore.fails(SERVER_STATE, true));

      assertThat(v.get(holder.release())).isTrue();
      v.pass(Duration.ofMillis(1));

      assertThat(v.store.count(RELEASE)).isEqualTo(1);
      assertThat(next.value().isValid()).isTrue();
    }

    @Test
    void aHandOverThatTheNextWaiterMayNotHaveEndsTheWaiterAndNotTheRelease() {
      Lock holder = heldHere();
      List<SignalProbe<Lock>> waiters = List.of(otherWaiter(), otherWaiter());
      v.store.next(TRANSFER, ScriptedStore.fails(PERMISSION, false));

      assertThat(v.get(holder.release())).isTrue();
      v.pass(Duration.ofMillis(1));

      waiters.get(0).error(LockStoreException.class);
      assertThat(waiters.get(1).value().isValid()).isTrue();
    }

    @Test
    void aHandOverWhoseAnswerIsLostLeavesTheKeysWithTheNextWaiter() {
      Lock holder = heldHere();
      SignalProbe<Lock> next = otherWaiter();
      v.store.next(TRANSFER, ScriptedStore.answerLost());

      assertThat(v.get(holder.release())).isTrue();
      v.pass(Duration.ofMillis(1));

      assertThat(next.value().isValid()).isTrue();
      assertThat(v.get(next.value().ttl())).isPositive();
    }

    @Test
    void aHandOverWithoutAnswerDelaysNoCallerLongerThanACommandMayTake() {
      Lock holder = heldHere();
      SignalProbe<Lock> next = otherWaiter();
      v.store.next(TRANSFER, ScriptedStore.swallowed());

      SignalProbe<Boolean> release = v.run(holder.release());
      v.pass(Duration.ofSeconds(2).plusMillis(1));

      assertThat(release.end).isNotNull();
      assertThat(next.value().isValid()).isTrue();
    }

    @Test
    void theKeysThatAreKeptForAWhileAreNotHandedOver() {
      Lock holder = v.get(v.locker.acquire("a", OPTIONS.holdAtLeast(Duration.ofMillis(100))));
      SignalProbe<Lock> next = waiter();

      v.get(holder.release());
      assertThat(v.store.count(TRANSFER)).isZero();
      v.pass(Duration.ofMillis(99));
      assertThat(next.isPending()).isTrue();
      v.pass(Duration.ofMillis(3));
      assertThat(next.value().isValid()).isTrue();
    }

    @Test
    void oneTokenIsDeliveredOnceThoughItsOwnAttemptIsGrantedToo() {
      Lock holder = heldHere();
      HeldBack held = HeldBack.call();
      v.store.next(ACQUIRE, held);
      SignalProbe<Lock> next = otherWaiter();
      v.get(holder.release());
      assertThat(next.value().isValid()).isTrue();

      held.letThrough();
      v.pass(Duration.ZERO);

      assertThat(next.values).hasSize(1);
      v.get(next.value().release());
      assertThat(v.isFree("a")).isTrue();
    }

    @Test
    void aLostLockWakesTheLine() {
      v.get(v.locker.acquire("a", OPTIONS.ttl(Duration.ofSeconds(1))));
      SignalProbe<Lock> next = waiter();

      v.pass(Duration.ofMillis(1_002));

      assertThat(next.value().isValid()).isTrue();
    }
  }

  @Nested
  class TurnsOfOtherProcesses {

    private final Duration turn = Duration.ofMillis(100);

    private int served;

    /** Releases one lock after the other until the keys are freed; gives how long that took. */
    private Duration turn(List<SignalProbe<Lock>> waiters) {
      long released = v.store.count(RELEASE);
      int ms = 0;
      while (true) {
        v.run(waiters.get(served).value().release());
        if (v.store.count(RELEASE) > released) {
          served++;
          return Duration.ofMillis(ms);
        }
        served++;
        v.pass(Duration.ofMillis(1));
        ms++;
      }
    }

    /** Lets time pass until the next waiter has the lock. */
    private void awaitNext(List<SignalProbe<Lock>> waiters) {
      for (int i = 0; i < 100 && waiters.get(served).isPending(); i++) {
        v.pass(Duration.ofNanos(500_000));
      }
    }

    @Test
    void afterATurnTheKeysAreFreedForOthers() {
      Lock holder = heldHere();
      List<SignalProbe<Lock>> waiters = waiters(3);
      v.run(holder.release());
      assertThat(v.store.count(RELEASE)).isZero();
      v.pass(turn);

      v.run(waiters.get(0).value().release());

      assertThat(v.store.count(RELEASE)).isEqualTo(1);
      assertThat(v.store.count(TRANSFER)).isZero();
      assertThat(served(waiters)).isEqualTo(1);
      Lock elsewhere = v.get(v.another().tryAcquire("a", TTL));
      v.pass(Duration.ofMillis(10));
      assertThat(served(waiters)).isEqualTo(1);
      v.get(elsewhere.release());
      v.pass(Duration.ofSeconds(1));
      assertThat(served(waiters)).isEqualTo(2);
    }

    @Test
    void ifNoOtherProcessComesTheLineGoesOnAfterATenthOfItsTurn() {
      Lock holder = heldHere();
      List<SignalProbe<Lock>> waiters = waiters(3);
      v.pass(turn);
      v.run(holder.release());

      v.pass(Duration.ofNanos(9_999_999));
      assertThat(served(waiters)).isZero();
      v.pass(Duration.ofNanos(1));
      assertThat(served(waiters)).isEqualTo(1);
    }

    @Test
    void theShortestStepBackTakesThreeMilliseconds() {
      v = new VirtualLocker(builder -> builder.turn(Duration.ofMillis(1)));
      Lock holder = heldHere();
      SignalProbe<Lock> waiter = waiter();
      v.pass(Duration.ofMillis(1));
      v.run(holder.release());

      v.pass(Duration.ofNanos(2_999_999));
      assertThat(waiter.isPending()).isTrue();
      v.pass(Duration.ofNanos(1));
      assertThat(waiter.value().isValid()).isTrue();
    }

    @Test
    @DisplayName("a step back is not ended by the push of our own release")
    void aWakeUpDoesNotEndTheStepBack() {
      Lock holder = heldHere();
      SignalProbe<Lock> waiter = waiter();
      v.pass(turn);
      v.run(holder.release());

      v.store.wakeUp("a");
      v.pass(Duration.ofMillis(9));
      assertThat(waiter.isPending()).isTrue();

      v.pass(Duration.ofMillis(1));
      assertThat(waiter.value().isValid()).isTrue();
    }

    /** One that comes to hold the keys for a moment while this locker has stepped back. */
    private void anotherProcessComes(List<SignalProbe<Lock>> waiters) {
      Lock elsewhere = v.get(v.another().tryAcquire("a", TTL));
      v.pass(Duration.ofMillis(20));
      v.get(elsewhere.release());
      v.store.wakeUp("a");
      awaitNext(waiters);
    }

    @Test
    void afterAnotherProcessCameTurnsAreShortAndDoubleWhileNoneComes() {
      List<SignalProbe<Lock>> waiters = waiters(400);
      assertThat(turn(waiters)).isEqualTo(turn);
      anotherProcessComes(waiters);

      List<Duration> turns = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        turns.add(turn(waiters));
        awaitNext(waiters);
      }

      assertThat(turns)
          .extracting(Duration::toMillis)
          .containsExactly(5L, 10L, 20L, 40L, 80L, 100L);
    }

    @Test
    void whileAnotherProcessComesTheStepBackIsLonger() {
      List<SignalProbe<Lock>> waiters = waiters(400);
      turn(waiters);
      anotherProcessComes(waiters);
      turn(waiters);
      SignalProbe<Lock> next = waiters.get(served);

      v.pass(Duration.ofNanos(5_999_999));
      assertThat(next.isPending()).isTrue();
      v.pass(Duration.ofNanos(1));
      assertThat(next.value().isValid()).isTrue();
    }

    @Test
    void twoCallersThatTakeTurnsStepBackToo() {
      Lock one = heldHere();
      for (int i = 0; i < 12; i++) {
        SignalProbe<Lock> other = waiter();
        v.pass(Duration.ofMillis(10));
        v.run(one.release());
        v.pass(Duration.ofMillis(10));
        one = other.value();
      }

      assertThat(v.store.count(RELEASE)).isBetween(1L, 3L);
    }

    @Test
    void withoutATurnEveryReleaseIsForReal() {
      v = new VirtualLocker(builder -> builder.turn(Duration.ZERO));
      Lock holder = heldHere();
      SignalProbe<Lock> next = waiter();

      v.run(holder.release());
      v.pass(Duration.ofMillis(3));

      assertThat(next.value().isValid()).isTrue();
      assertThat(v.store.count(TRANSFER)).isZero();
      assertThat(v.store.count(RELEASE)).isEqualTo(1);
    }
  }

  @Nested
  class WakingUp {

    @Test
    void aWakeUpMakesTheFirstWaiterAskAtOnce() {
      Lock holder = heldElsewhere();
      SignalProbe<Lock> waiter = waiter();
      v.pass(Duration.ofMillis(5));
      v.get(holder.release());

      v.store.wakeUp("a");
      v.pass(Duration.ZERO);

      assertThat(waiter.value().isValid()).isTrue();
    }

    @Test
    @DisplayName("B114: a wake-up that comes while the first waiter asks is not lost")
    void aWakeUpDuringAnAttemptMakesItAskAgain() {
      Lock holder = heldElsewhere();
      SignalProbe<Lock> waiter = waiter();
      v.pass(Duration.ofMillis(5));
      HeldBack answer = HeldBack.answer();
      v.store.next(ACQUIRE, answer);
      v.store.wakeUp("a");
      v.pass(Duration.ZERO);
      v.get(holder.release());

      v.store.wakeUp("a");
      answer.letThrough();
      v.pass(Duration.ofMillis(1));

      assertThat(waiter.value().isValid()).isTrue();
    }

    @Test
    void aWakeUpForOtherKeysIsNoneForThisLine() {
      heldElsewhere();
      waiter();
      v.pass(Duration.ofMillis(5));
      long sent = v.store.count(ACQUIRE);

      v.store.wakeUp("b");
      v.pass(Duration.ZERO);

      assertThat(v.store.count(ACQUIRE)).isEqualTo(sent);
    }

    @Test
    void wakeUpsWithoutEndCauseFewerAndFewerAttempts() {
      heldElsewhere();
      waiter();
      long first = v.store.count(ACQUIRE);
      for (int i = 0; i < 1_000; i++) {
        v.store.wakeUp("a");
        v.pass(Duration.ofNanos(100_000));
      }

      // gaps of 0.25, 0.5, 1, 2, 4 and then 5 ms
      assertThat(v.store.count(ACQUIRE) - first).isBetween(20L, 25L);
    }

    @Test
    void wakeUpsWhileTheKeysAreHeldHereWaitForAHandOver() {
      Lock holder = heldHere();
      SignalProbe<Lock> served = waiter();
      waiter();
      v.run(holder.release());
      long sent = v.store.count(ACQUIRE);
      for (int i = 0; i < 50; i++) {
        v.store.wakeUp("a");
        v.pass(Duration.ofNanos(100_000));
      }
      assertThat(v.store.count(ACQUIRE)).isEqualTo(sent);

      v.pass(Duration.ofMillis(5));

      assertThat(served.value().isValid()).isTrue();
      assertThat(v.store.count(ACQUIRE)).isEqualTo(sent + 1);
    }

    @Test
    void aLockHeldHereThatAnOperatorFreesIsSoonTaken() {
      v.get(v.locker.acquire("a", OPTIONS));
      List<SignalProbe<Lock>> waiters = waiters(2);
      v.get(v.memory.forceRelease("a"));

      v.store.wakeUp("a");
      v.pass(Duration.ofMillis(10));

      assertThat(waiters.get(0).value().isValid()).isTrue();
    }

    @Test
    void wakeUpsAreSubscribedOnlyWhileThereAreWaiters() {
      Lock holder = heldElsewhere();
      List<SignalProbe<Lock>> waiters = waiters(3);
      assertThat(v.store.wakeUpSubscribers()).isEqualTo(1);
      v.get(holder.release());
      v.store.wakeUp("a");
      v.pass(Duration.ofMillis(1));
      waiters.subList(1, 3).forEach(SignalProbe::cancel);
      v.get(waiters.get(0).value().release());

      assertThat(v.store.wakeUpSubscribers()).isZero();
    }
  }

  @Nested
  class NoTrace {

    @Test
    @Tag("thorough")
    @DisplayName("B34, B115: a million keys leave nothing behind")
    void aMillionKeysLeaveNothingBehind() {
      StoreLocker locker = (StoreLocker) v.another();
      for (int i = 0; i < 1_000_000; i++) {
        String key = "key" + i;
        locker.withLock(key, OPTIONS, lock -> Mono.empty()).subscribe();
      }

      assertThat(locker.locker.lines.size()).isZero();
    }

    @Test
    @DisplayName("B34: waiters that cancelled or ran out of time leave nothing behind")
    void cancelledAndTimedOutWaitersLeaveNothingBehind() {
      Lock holder = heldElsewhere();
      List<SignalProbe<Lock>> waiters = waiters(500);
      for (int i = 0; i < 500; i++) {
        v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofMillis(i + 1))));
      }
      Collections.reverse(waiters);
      waiters.forEach(SignalProbe::cancel);
      v.pass(Duration.ofSeconds(1));

      assertThat(v.lines()).isZero();
      assertThat(v.store.wakeUpSubscribers()).isZero();
      v.get(holder.release());
      assertThat(v.isIdle()).isTrue();
    }

    @Test
    void theLineIsGoneWithTheLastLock() {
      Lock holder = heldHere();
      SignalProbe<Lock> next = waiter();
      v.run(holder.release());
      v.run(next.value().release());

      assertThat(v.lines()).isZero();
    }
  }
}
