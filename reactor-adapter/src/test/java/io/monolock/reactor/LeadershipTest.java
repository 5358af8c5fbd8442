// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.ReactiveLocker;
import io.monolock.reactor.Leadership.Change;
import io.monolock.reactor.Leadership.Status;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import io.monolock.test.CapturedLog;
import io.monolock.test.DroppedSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

@ExtendWith(DroppedSignals.class)
class LeadershipTest {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(9));
  private static final StoreFailure AWAY =
      new StoreFailure(StoreProblem.Reason.UNAVAILABLE, true, "away", null);

  private final LockerInVirtualTime v = new LockerInVirtualTime();
  private final Leadership leadership = over(v.locker);
  private final List<String> work = new ArrayList<>();

  private Leadership over(ReactiveLocker locker) {
    return over(locker, OPTIONS);
  }

  private Leadership over(ReactiveLocker locker, LockOptions options) {
    return Leadership.of(locker, "leader", options, v.time);
  }

  private Flux<Long> ticks() {
    return Flux.interval(SECOND, v.time)
        .doOnSubscribe(any -> work.add("begun"))
        .doOnCancel(() -> work.add("cancelled"));
  }

  private List<Status> statuses(Leadership of) {
    List<Status> statuses = new ArrayList<>();
    of.changes().map(Change::status).subscribe(statuses::add, Throwable::printStackTrace);
    return statuses;
  }

  @Test
  void workRunsOnlyOnTheInstanceThatHoldsTheLock() {
    SignalProbe<Long> first = v.run(leadership.whileLeader(ticks()));
    Leadership other = over(v.another());
    SignalProbe<Long> second = v.run(other.whileLeader(ticks()));

    v.pass(Duration.ofMinutes(5));

    assertThat(first.values).hasSize(300);
    assertThat(second.values).isEmpty();
    assertThat(leadership.isLeader()).isTrue();
    assertThat(other.isLeader()).isFalse();
  }

  @Test
  void anotherInstanceFollowsWhenTheLeaderCancels() {
    SignalProbe<Long> first = v.run(leadership.whileLeader(ticks()));
    SignalProbe<Long> second = v.run(over(v.another()).whileLeader(ticks()));

    v.cancel(first);
    v.pass(Duration.ofSeconds(5));

    assertThat(second.values).isNotEmpty();
    assertThat(work).containsExactly("begun", "cancelled", "begun");
  }

  @Test
  void anotherInstanceFollowsADeadLeaderWhenItsTtlEnds() {
    v.run(v.another().acquire("leader", OPTIONS)); // never refreshed
    SignalProbe<Long> second = v.run(leadership.whileLeader(ticks()));

    v.pass(Duration.ofSeconds(11));

    assertThat(second.values).isNotEmpty();
  }

  @Test
  void waitAtMostOfTheOptionsDoesNotEndTheWaiting() {
    Lock elsewhere = v.run(v.another().acquire("leader", OPTIONS)).value();
    v.run(elsewhere.keepAlive());
    SignalProbe<Long> probe =
        v.run(over(v.locker, OPTIONS.waitAtMost(Duration.ZERO)).whileLeader(ticks()));

    v.pass(Duration.ofHours(2));
    assertThat(probe.end).isNull();
    v.run(elsewhere.release());
    v.pass(Duration.ofSeconds(5));

    assertThat(probe.values).isNotEmpty();
  }

  @Test
  void completionOfTheWorkEndsTheLeadershipAndTheResult() {
    SignalProbe<Integer> probe = v.run(leadership.whileLeader(Flux.just(1, 2)));

    assertThat(probe.values).containsExactly(1, 2);
    assertThat(probe.end).isNotNull();
    assertThat(v.isFree("leader")).isTrue();
    assertThat(leadership.isLeader()).isFalse();
  }

  @Test
  void errorOfTheWorkIsPassedOnAndTheLockIsFree() {
    Exception own = new Exception("own");

    assertThat(v.run(leadership.whileLeader(Flux.error(own))).error).isSameAs(own);
    assertThat(v.isFree("leader")).isTrue();
  }

  @Test
  void errorOfAnotherLockInTheWorkIsTheWorksOwn() {
    v.run(v.another().acquire("other", OPTIONS));
    Mono<String> inner =
        v.locker.withLock("other", OPTIONS.waitAtMost(SECOND), lock -> Mono.just("inner"));

    SignalProbe<String> probe = v.run(leadership.whileLeader(inner.flux()));
    v.pass(SECOND);

    assertThat(probe.error(LockNotAcquiredException.class).keys()).containsExactly("other");
  }

  @Test
  void workThatCannotBeCalledIsAnError() {
    SignalProbe<Object> probe = v.run(leadership.whileLeader(lock -> null));

    probe.error(NullPointerException.class);
    assertThat(v.isFree("leader")).isTrue();
  }

  @Test
  void lossCancelsTheWorkAndItBeginsAnewWhenTheLockIsHadAgain() {
    SignalProbe<Long> probe = v.run(leadership.whileLeader(ticks()));
    v.pass(Duration.ofSeconds(1));

    v.memory.forceRelease("leader").block();
    Lock other = v.run(v.another().acquire("leader", OPTIONS)).value();
    v.pass(Duration.ofSeconds(4));
    assertThat(work).containsExactly("begun", "cancelled");
    assertThat(leadership.isLeader()).isFalse();
    v.run(other.release());
    v.pass(Duration.ofSeconds(3));

    assertThat(work).containsExactly("begun", "cancelled", "begun");
    assertThat(leadership.isLeader()).isTrue();
    assertThat(probe.end).isNull();
    assertThat(probe.values).startsWith(0L).contains(1L).filteredOn(tick -> tick == 0L).hasSize(2);
  }

  @Test
  void workThatFailsByTheLossOfTheLeadersLockContendsAgain() {
    Lock earlier = v.run(v.locker.acquire("leader", OPTIONS)).value();
    v.run(earlier.release());
    LockLostException loss = v.run(earlier.keepAlive()).error(LockLostException.class);

    SignalProbe<Object> probe =
        v.run(
            leadership.whileLeader(
                lock -> {
                  work.add("begun");
                  lock.release().subscribe(any -> {}, Throwable::printStackTrace);
                  return Flux.error(loss);
                }));
    v.pass(Duration.ofSeconds(5));

    assertThat(probe.end).isNull();
    assertThat(work.size()).isGreaterThan(1);
  }

  @Test
  void workThatFailsByTheLossOfALockOfItsOwnFails() {
    Lock other = v.run(v.locker.acquire("other", OPTIONS)).value();
    v.run(other.release());

    SignalProbe<Object> probe = v.run(leadership.whileLeader(other.keepAlive().flux()));

    assertThat(probe.error(LockLostException.class).keys()).containsExactly("other");
  }

  @Test
  void keepsItsPlaceInTheLine() {
    Lock elsewhere = v.run(v.another().acquire("leader", OPTIONS)).value();
    v.run(elsewhere.keepAlive());
    Leadership first = over(v.locker, OPTIONS.waitAtMost(Duration.ZERO));
    v.run(first.whileLeader(ticks()));
    SignalProbe<Lock> second =
        v.run(v.locker.acquire("leader", OPTIONS.waitAtMost(Duration.ofMinutes(10))));

    v.pass(Duration.ofMinutes(1));
    v.run(elsewhere.release());
    v.pass(Duration.ofSeconds(5));

    assertThat(first.isLeader()).isTrue();
    assertThat(second.values).isEmpty();
  }

  @Test
  void releaseOfItsLockResigns() {
    Flux<Long> resigning =
        ticks().concatMap(tick -> CurrentLock.get().flatMap(Lock::release).thenReturn(tick));
    SignalProbe<Long> probe = v.run(leadership.whileLeader(resigning));
    Leadership other = over(v.another());
    v.run(other.whileLeader(Flux.never()));

    v.pass(Duration.ofSeconds(5));

    assertThat(other.isLeader()).isTrue();
    assertThat(leadership.isLeader()).isFalse();
    assertThat(probe.end).isNull();
    assertThat(work).containsExactly("begun", "cancelled");
  }

  @Test
  void changesBeginWithThePresentStatus() {
    assertThat(statuses(leadership)).containsExactly(Status.IDLE);
    v.run(leadership.whileLeader(ticks()));

    assertThat(statuses(leadership)).containsExactly(Status.LEADING);
  }

  @Test
  void changesShowEachStatusInItsOrder() {
    List<Status> statuses = statuses(leadership);
    SignalProbe<Long> probe = v.run(leadership.whileLeader(ticks()));
    v.memory.forceRelease("leader").block();
    v.pass(Duration.ofSeconds(10));
    v.cancel(probe);

    assertThat(statuses)
        .containsExactly(
            Status.IDLE,
            Status.WAITING,
            Status.LEADING,
            Status.WAITING,
            Status.LEADING,
            Status.IDLE);
  }

  @Test
  void changesCarryTheReasonWhyTheLeadWasLost() {
    List<Change> changes = new ArrayList<>();
    leadership.changes().subscribe(changes::add, Throwable::printStackTrace);
    v.run(leadership.whileLeader(ticks()));
    v.memory.forceRelease("leader").block();

    v.pass(Duration.ofSeconds(3));

    assertThat(changes.get(3).status()).isEqualTo(Status.WAITING);
    assertThat(changes.get(3).reason()).get().isInstanceOf(LockLostException.class);
  }

  @Test
  void afterCancelItIsIdleThoughItNeverLed() {
    v.run(v.another().acquire("leader", OPTIONS));
    List<Status> statuses = statuses(leadership);

    v.cancel(v.run(leadership.whileLeader(ticks())));
    v.pass(Duration.ofMinutes(1));

    assertThat(statuses).containsExactly(Status.IDLE, Status.WAITING, Status.IDLE);
    assertThat(work).isEmpty();
    assertThat(v.isFree("leader")).isTrue();
  }

  @Test
  void troubleOfTheStoreIsReportedAndWaitedOut() {
    v.store.trouble = AWAY;
    List<Change> changes = new ArrayList<>();
    leadership.changes().subscribe(changes::add, Throwable::printStackTrace);
    SignalProbe<Long> probe = v.run(leadership.whileLeader(ticks()));

    v.pass(Duration.ofMinutes(10));
    assertThat(probe.end).isNull();
    assertThat(changes.stream().map(Change::status))
        .containsExactly(Status.IDLE, Status.WAITING, Status.TROUBLED);
    assertThat(changes.get(2).reason()).get().isInstanceOf(LockStoreException.class);
    v.store.trouble = null;
    v.pass(Duration.ofSeconds(5));

    assertThat(probe.values).isNotEmpty();
    assertThat(changes).hasSize(4);
  }

  @Test
  void troubleIsLoggedOnceEachTimeThatItBegins() {
    try (CapturedLog log = new CapturedLog()) {
      v.run(leadership.whileLeader(ticks()));
      for (int outage = 0; outage < 2; outage++) {
        v.store.trouble = AWAY;
        v.pass(Duration.ofMinutes(10));
        v.store.trouble = null;
        v.pass(Duration.ofMinutes(1));
      }

      assertThat(log.lines("WARN").stream().filter(line -> line.contains("Leadership"))).hasSize(2);
    }
  }

  @Test
  void troubleIsOverWhenTheStoreSaysThatAnotherLeads() {
    v.store.trouble = AWAY;
    List<Status> statuses = statuses(leadership);
    v.run(leadership.whileLeader(ticks()));
    v.pass(Duration.ofSeconds(5));
    v.run(v.run(v.another().acquire("leader", OPTIONS)).value().keepAlive());

    v.store.trouble = null;
    v.pass(Duration.ofSeconds(5));

    assertThat(statuses)
        .containsExactly(Status.IDLE, Status.WAITING, Status.TROUBLED, Status.WAITING);
  }

  /** Also when the spec of the options gives up at once. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void troubleIsNeverAHotLoop(boolean givesUp) {
    v.store.trouble = AWAY;
    LockOptions options = givesUp ? OPTIONS.retry(Retry.max(0)) : OPTIONS;

    SignalProbe<Long> probe = v.run(over(v.locker, options).whileLeader(ticks()));
    v.pass(Duration.ofMinutes(1));

    assertThat(v.store.calls("acquire")).hasSizeBetween(10, 150);
    assertThat(probe.end).isNull();
  }

  @Test
  void troubleWhileLeadingLosesTheLeadAndWinsItBack() {
    SignalProbe<Long> probe = v.run(leadership.whileLeader(ticks()));
    List<Status> statuses = statuses(leadership);

    v.store.trouble = AWAY;
    v.pass(Duration.ofSeconds(20));
    assertThat(work).containsExactly("begun", "cancelled");
    v.store.trouble = null;
    v.pass(Duration.ofSeconds(10));

    assertThat(statuses)
        .containsExactly(Status.LEADING, Status.WAITING, Status.TROUBLED, Status.LEADING);
    assertThat(probe.end).isNull();
  }

  @Test
  void refusalThatWaitingCannotMendIsPassedOn() {
    v.store.trouble = new StoreFailure(StoreProblem.Reason.PERMISSION, false, "no", null);

    SignalProbe<Long> probe = v.run(leadership.whileLeader(ticks()));

    assertThat(probe.error(LockStoreException.class).isTransient()).isFalse();
  }

  @Test
  void closedLockerEndsIt() {
    SignalProbe<Long> probe = v.run(leadership.whileLeader(ticks()));

    v.run(v.locker.close());
    v.pass(Duration.ofSeconds(10));

    probe.error(LockerClosedException.class);
    assertThat(work).containsExactly("begun", "cancelled");
  }

  @Test
  void secondSubscriptionIsRefusedUntilTheFirstHasEnded() {
    SignalProbe<Long> first = v.run(leadership.whileLeader(ticks()));

    assertThat(v.run(leadership.whileLeader(ticks())).error(IllegalStateException.class))
        .hasMessageContaining("leader is subscribed already");
    v.cancel(first);

    assertThat(v.run(leadership.whileLeader(Flux.just(1))).value()).isEqualTo(1);
  }

  @Test
  void canBeRepeated() {
    Flux<Integer> once = Flux.just(1).delayElements(SECOND, v.time);
    SignalProbe<Integer> probe = v.run(leadership.whileLeader(once).repeat(2));

    v.pass(Duration.ofSeconds(3));

    assertThat(probe.values).containsExactly(1, 1, 1);
    assertThat(probe.error).isNull();
  }

  @Test
  void workFindsItsLockInItsContext() {
    SignalProbe<Lock> probe = v.run(leadership.whileLeader(CurrentLock.require("leader").flux()));

    assertThat(probe.value().keys()).containsExactly("leader");
  }

  @Test
  void demandIsThatOfTheSubscriberAcrossLeads() {
    SignalProbe<Long> probe =
        v.run(leadership.whileLeader(Flux.range(0, 100).map(Long::valueOf)), 3);

    assertThat(probe.values).containsExactly(0L, 1L, 2L);
    probe.request(2);
    v.time.advanceTime();

    assertThat(probe.values).hasSize(5);
  }

  @Test
  void badInputFailsAtTheCall() {
    assertThatThrownBy(() -> Leadership.of(v.locker, "", OPTIONS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Leadership.of(v.locker, "a", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
