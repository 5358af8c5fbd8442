// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static io.monolock.reactor.LockOperators.locked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.test.CapturedLog;
import io.monolock.test.DroppedSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

@ExtendWith(DroppedSignals.class)
class ReentrantLockerTest {

  private static final Duration TTL = Duration.ofSeconds(9);
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final LockOptions OPTIONS = LockOptions.of(TTL);

  private final LockerInVirtualTime v = new LockerInVirtualTime();
  private final ReactiveLocker locker = ReentrantLocker.wrap(v.locker);

  /** Runs something in a scope on {@code outer}. */
  private <T> SignalProbe<T> in(String outer, Mono<T> body) {
    return v.run(locker.withLock(outer, TTL, body));
  }

  private <T> Mono<T> slow(T value) {
    return Mono.delay(SECOND, v.time).thenReturn(value);
  }

  private List<String> callsWhile(Runnable action) {
    v.store.calls.clear();
    action.run();
    return List.copyOf(v.store.calls);
  }

  @Test
  void scopeOnHeldKeysRunsAtOnceAndSendsNothing() {
    List<String> before = new ArrayList<>();
    Mono<String> inner =
        locker
            .withLock("a", TTL, Mono.fromSupplier(() -> "inner"))
            .doFirst(() -> before.addAll(v.store.calls));

    SignalProbe<String> probe = in("a", inner);

    assertThat(probe.value()).isEqualTo("inner");
    assertThat(before).containsExactly("acquire [a]");
    assertThat(v.store.calls).containsExactly("acquire [a]", "release [a]");
  }

  @Test
  void scopeOfManyElementsOnHeldKeysRunsAtOnceAndSendsNothing() {
    Flux<Integer> inner = locker.withLockMany("a", OPTIONS, lock -> Flux.just(1, 2));

    SignalProbe<Integer> probe = v.run(locker.withLockMany("a", OPTIONS, lock -> inner));

    assertThat(probe.values).containsExactly(1, 2);
    assertThat(v.store.calls).containsExactly("acquire [a]", "release [a]");
  }

  @Test
  void someOfTheHeldKeysAreHeldToo() {
    Mono<String> inner = locker.withLock("b", TTL, Mono.just("inner"));

    SignalProbe<String> probe = v.run(locker.withLock(List.of("a", "b", "c"), TTL, inner));

    assertThat(probe.value()).isEqualTo("inner");
    assertThat(v.store.calls("acquire")).containsExactly("acquire [a, b, c]");
  }

  @Test
  void keysOfTwoOuterScopesAreHeldTogether() {
    Mono<String> inner = locker.withLock(List.of("a", "b"), TTL, Mono.just("inner"));

    SignalProbe<String> probe = in("a", locker.withLock("b", TTL, inner));

    assertThat(probe.value()).isEqualTo("inner");
    assertThat(v.store.calls("acquire")).containsExactly("acquire [a]", "acquire [b]");
  }

  @Test
  void innerScopesCanBeNestedAnyNumberOfTimes() {
    Mono<String> nested = Mono.just("inmost");
    for (int i = 0; i < 20; i++) {
      nested = locker.withLock("a", TTL, nested);
    }

    assertThat(v.run(nested).value()).isEqualTo("inmost");
    assertThat(v.store.calls).containsExactly("acquire [a]", "release [a]");
  }

  @Test
  void operatorThatTakesAValueForTheEndLeavesNothingToBeDropped() {
    Mono<String> inner =
        locker.withLock("a", TTL, Mono.just("inner")).filterWhen(any -> Mono.just(true));

    assertThat(in("a", inner).value()).isEqualTo("inner");
  }

  @Test
  void missingKeysAreTakenAndFreedWithTheInnerScope() {
    List<Boolean> free = new ArrayList<>();
    Mono<String> inner = locker.withLock(List.of("a", "b"), TTL, Mono.just("inner"));

    SignalProbe<String> probe =
        in("a", inner.doOnNext(any -> free.addAll(List.of(v.isFree("a"), v.isFree("b")))));

    assertThat(probe.value()).isEqualTo("inner");
    assertThat(free).containsExactly(false, true);
    assertThat(v.store.calls)
        .containsExactly("acquire [a]", "acquire [b]", "release [b]", "release [a]");
  }

  @Test
  void tryWithLockEntersWhatIsHeldAndIsEmptyWhenAMissingKeyIsBusy() {
    Lock foreign = v.run(v.another().tryAcquire("b", TTL)).value();
    Mono<String> entered = locker.tryWithLock("a", TTL, Mono.just("entered"));
    Mono<String> busy = locker.tryWithLock(List.of("a", "b"), OPTIONS, lock -> Mono.just("both"));

    assertThat(in("a", entered).value()).isEqualTo("entered");
    assertThat(in("a", busy.defaultIfEmpty("busy")).value()).isEqualTo("busy");

    v.run(foreign.release());
    assertThat(in("a", busy.defaultIfEmpty("busy")).value()).isEqualTo("both");
    assertThat(v.run(v.another().tryAcquire(List.of("a", "b"), OPTIONS)).value().isValid())
        .isTrue();
  }

  @Test
  void missingKeysOfAScopeOfManyAreTakenAndFreedWithIt() {
    Flux<Integer> inner = locker.withLockMany(List.of("a", "b"), OPTIONS, lock -> Flux.just(1, 2));

    SignalProbe<Integer> probe = v.run(locker.withLockMany("a", OPTIONS, lock -> inner));

    assertThat(probe.values).containsExactly(1, 2);
    assertThat(v.store.calls)
        .containsExactly("acquire [a]", "acquire [b]", "release [b]", "release [a]");
  }

  @Test
  void scopeThatWasOpenedByAnOperatorCounts() {
    Mono<String> inner = locker.withLock("a", TTL, Mono.just("inner"));

    assertThat(v.run(inner.transformDeferred(locked(v.locker, "a", TTL))).value())
        .isEqualTo("inner");
    assertThat(v.run(inner.transformDeferred(locked(locker, "b", TTL))).value()).isEqualTo("inner");
    assertThat(v.store.calls("acquire"))
        .containsExactly("acquire [a]", "acquire [b]", "acquire [a]");
  }

  @Test
  void wrappersOfTheSameLockerShareWhatAFlowHolds() {
    ReactiveLocker other = ReentrantLocker.wrap(ReentrantLocker.wrap(v.locker));

    SignalProbe<String> probe = in("a", other.withLock("a", TTL, Mono.just("inner")));

    assertThat(probe.value()).isEqualTo("inner");
  }

  @Test
  void sameKeyOfAnotherStoreIsNotHeld() {
    LockerInVirtualTime elsewhere = new LockerInVirtualTime();
    ReactiveLocker other = ReentrantLocker.wrap(elsewhere.locker);

    in("a", other.withLock("a", TTL, Mono.just("inner")));
    elsewhere.time.advanceTime();

    assertThat(elsewhere.store.calls("acquire")).containsExactly("acquire [a]");
  }

  @Test
  void flowDoesNotEnterThroughItsThread() {
    LockOptions once = OPTIONS.waitAtMost(Duration.ZERO);
    AtomicReference<SignalProbe<String>> other = new AtomicReference<>();
    Mono<String> body =
        Mono.fromRunnable(
                () -> other.set(v.run(locker.withLock("a", once, lock -> Mono.just("entered")))))
            .then(slow("done"));

    in("a", body);

    other.get().error(LockNotAcquiredException.class);
  }

  @Test
  void whatComesAfterTheScopeDoesNotHoldTheKey() {
    SignalProbe<String> probe =
        v.run(
            locker
                .withLock("a", TTL, Mono.just("first"))
                .then(locker.withLock("a", TTL, Mono.just("second"))));

    assertThat(probe.value()).isEqualTo("second");
    assertThat(v.store.calls("acquire")).hasSize(2);
  }

  @Test
  void lockThatWasReleasedDoesNotCountAsHeld() {
    Mono<String> inner = locker.withLock("a", TTL, Mono.just("inner"));

    SignalProbe<String> probe =
        v.run(locker.withLock("a", OPTIONS, lock -> lock.release().then(inner)));

    assertThat(probe.value()).isEqualTo("inner");
    assertThat(v.store.calls("acquire")).hasSize(2);
  }

  @Test
  void innerBranchesShareTheLockAndDoNotExcludeEachOther() {
    Mono<String> branch = locker.withLock("a", TTL, slow("done"));

    SignalProbe<List<String>> probe = in("a", Flux.merge(branch, branch).collectList());
    v.pass(SECOND);

    assertThat(probe.value()).containsExactly("done", "done");
  }

  @Test
  void valueEmptinessAndErrorOfTheInnerBodyAreItsOutcome() {
    Exception own = new Exception("own");

    assertThat(in("a", locker.withLock("a", TTL, Mono.empty())).values).isEmpty();
    assertThat(in("a", locker.withLock("a", TTL, Mono.error(own))).error).isSameAs(own);
    assertThat(in("a", locker.withLock(List.of("a", "b"), TTL, Mono.error(own))).error)
        .isSameAs(own);
    in("a", locker.withLock("a", TTL, lock -> null)).error(NullPointerException.class);
    assertThat(v.isFree("a")).isTrue();
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  void releaseOfTheOuterLockCancelsTheInnerScope() {
    for (List<String> keys : List.of(List.of("a"), List.of("a", "b"))) {
      AtomicReference<Throwable> innerError = new AtomicReference<>();
      Mono<Object> inner =
          locker.withLock(keys, TTL, Mono.never()).doOnError(innerError::set).onErrorComplete();
      Sinks.Empty<Void> release = Sinks.empty();

      v.run(
          locker.withLock(
              "a", OPTIONS, lock -> Mono.when(inner, release.asMono().then(lock.release()))));
      assertThat(innerError).hasValue(null);
      release.tryEmitEmpty();
      v.time.advanceTime();

      assertThat(innerError.get())
          .isInstanceOfSatisfying(
              LockLostException.class,
              loss -> assertThat(loss.reason()).isEqualTo(Reason.RELEASED));
      assertThat(v.isFree("a")).isTrue();
      assertThat(v.isFree("b")).isTrue();
    }
  }

  @Test
  void lossOfTheOuterLockIsTheEndOfBoth() {
    SignalProbe<Object> probe =
        v.run(
            locker.withLock(
                "a",
                OPTIONS.autoRefresh(false),
                lock -> locker.withLock(List.of("a", "b"), TTL, Mono.never())));

    v.pass(TTL);

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.EXPIRED);
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  void outerLockThatIsReleasedWhileTheInnerScopeWaitsKeepsItsBodyFromRunning() {
    Lock elsewhere = v.run(v.another().acquire("b", OPTIONS)).value();
    List<String> ran = new ArrayList<>();
    Mono<String> inner =
        locker.withLock(List.of("a", "b"), TTL, Mono.fromSupplier(() -> "ran").doOnNext(ran::add));
    SignalProbe<String> probe =
        v.run(
            locker.withLock(
                "a", OPTIONS, lock -> Mono.zip(inner, lock.release(), (one, two) -> one)));

    v.run(elsewhere.release());
    v.pass(SECOND);

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
    assertThat(ran).isEmpty();
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  void cancelOfTheInnerScopeLeavesTheOuterLock() {
    Mono<Object> inner =
        locker.withLock(List.of("a", "b"), TTL, Mono.never()).timeout(SECOND, v.time);

    v.run(locker.withLock("a", OPTIONS, lock -> inner.onErrorComplete().then(Mono.never())));
    assertThat(v.isFree("b")).isFalse();
    v.pass(SECOND);

    assertThat(v.isFree("b")).isTrue();
    assertThat(v.isFree("a")).isFalse();
  }

  @Test
  void cancelOfTheFlowFreesAll() {
    SignalProbe<Object> probe = in("a", locker.withLock(List.of("a", "b"), TTL, Mono.never()));
    assertThat(v.isFree("b")).isFalse();

    v.cancel(probe);

    assertThat(v.isFree("a")).isTrue();
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  void cancelOfAFlowIsNotLoggedAsTheLossOfItsOuterLocks() {
    try (CapturedLog log = new CapturedLog()) {
      for (List<String> keys : List.of(List.of("a"), List.of("b"), List.of("a", "b", "c"))) {
        Mono<Object> inmost = locker.withLock(keys, TTL, Mono.never());
        Mono<Object> inner = locker.withLock(List.of("a", "b"), TTL, inmost);
        v.cancel(in("a", inner));
        v.pass(SECOND);
      }
      assertThat(log.lines("WARN")).isEmpty();
    }
    assertThat(v.isFree("a")).isTrue();
    assertThat(v.isFree("b")).isTrue();
    assertThat(v.isFree("c")).isTrue();
  }

  @Test
  void cancelledInnerScopeThatFinishesEndsWhenTheOuterLockIsReleased() {
    LockOptions finishing = OPTIONS.finishOnCancel(true);
    Mono<Object> inner = locker.withLock(List.of("a", "b"), finishing, lock -> Mono.never());
    SignalProbe<Object> probe = in("a", inner);

    v.cancel(probe);
    v.pass(SECOND);

    assertThat(v.isFree("a")).isTrue();
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  void cancelledFlowThatFinishesRunsItsInnerScopesToTheirEnd() {
    LockOptions finishing = OPTIONS.finishOnCancel(true);
    List<String> ran = new ArrayList<>();
    Mono<String> inner =
        locker.withLock(List.of("a", "b"), finishing, lock -> slow("inner").doOnNext(ran::add));
    SignalProbe<String> probe = v.run(locker.withLock("a", finishing, lock -> inner));

    v.cancel(probe);
    assertThat(v.isFree("a")).isFalse();
    v.pass(SECOND);

    assertThat(ran).containsExactly("inner");
    assertThat(v.isFree("a")).isTrue();
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  void flowsThatWantEachOthersKeysEndByTheirWaitAtMost() {
    LockOptions limited = OPTIONS.waitAtMost(Duration.ofSeconds(3));
    SignalProbe<String> one = crossing("a", "b", limited);
    SignalProbe<String> other = crossing("b", "a", limited);

    v.pass(Duration.ofSeconds(10));

    assertThat(one.end).isNotNull();
    assertThat(other.end).isNotNull();
    assertThat(List.of(one, other))
        .anyMatch(probe -> probe.error instanceof LockNotAcquiredException);
    assertThat(v.isFree("a")).isTrue();
    assertThat(v.isFree("b")).isTrue();
  }

  private SignalProbe<String> crossing(String first, String second, LockOptions options) {
    Mono<String> inner =
        locker.withLock(List.of(first, second), options, lock -> Mono.just("both"));
    return v.run(locker.withLock(first, options, lock -> slow("held").then(inner)));
  }

  @Test
  void badInputFailsAtTheCall() {
    assertThatThrownBy(() -> locker.withLock("", TTL, Mono.empty()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> locker.withLockMany(List.of(), OPTIONS, lock -> Flux.empty()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> locker.acquire("a", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void currentLockOfTheInnerBodyIsTheInnerHandle() {
    SignalProbe<Lock> probe =
        v.run(
            locker.withLock(List.of("a", "b"), TTL, locker.withLock("b", TTL, CurrentLock.get())));

    assertThat(probe.value().keys()).containsExactly("b");
  }

  @Test
  void nestedFencedScopeNeedsOneFencedLock() {
    LockOptions fenced = OPTIONS.fenced(true);
    Mono<Long> number =
        locker.withLock("a", fenced, lock -> Mono.just(lock.fencingToken().orElseThrow()));

    SignalProbe<Boolean> same =
        v.run(
            locker.withLock(
                List.of("a", "b"),
                fenced,
                lock -> number.map(inner -> inner == lock.fencingToken().orElseThrow())));
    assertThat(same.value()).isTrue();

    assertThat(in("a", number).error(IllegalStateException.class))
        .hasMessageContaining("[a]")
        .hasMessageContaining("fenced");
    Mono<String> partly =
        locker.withLock(List.of("a", "c"), fenced, lock -> Mono.just("unreachable"));
    v.run(locker.withLock("a", fenced, lock -> partly)).error(IllegalStateException.class);
    Mono<String> ofTwo =
        locker.withLock(List.of("a", "d"), fenced, lock -> Mono.just("unreachable"));
    v.run(locker.withLock("a", fenced, lock -> locker.withLock("d", fenced, second -> ofTwo)))
        .error(IllegalStateException.class);
  }

  @Test
  void nestedScopeWithAnotherTokenIsRefused() {
    LockOptions mine = OPTIONS.token("0123456789012345678901");
    LockOptions other = OPTIONS.token("abcdefghijklmnopqrstuv");

    assertThat(
            v.run(
                    locker.withLock(
                        "a", mine, lock -> locker.withLock("a", mine, in -> Mono.just("in"))))
                .value())
        .isEqualTo("in");
    assertThat(
            v.run(
                    locker.withLock(
                        "a", mine, lock -> locker.withLock("a", other, in -> Mono.just("in"))))
                .error(IllegalStateException.class))
        .hasMessageNotContaining("abcdefg")
        .hasMessageNotContaining("0123456");
  }

  @Test
  void rawAcquisitionsOfHeldKeysGiveAHandleAtOnce() {
    SignalProbe<List<Lock>> probe =
        in(
            "a",
            Flux.concat(
                    locker.acquire("a", TTL),
                    locker.tryAcquire("a", TTL),
                    locker.acquire(List.of("a"), OPTIONS))
                .collectList());

    assertThat(probe.value()).hasSize(3).allMatch(lock -> lock.keys().contains("a"));
    assertThat(v.store.calls).containsExactly("acquire [a]", "release [a]");
  }

  @Test
  void rawAcquisitionOfMissingKeysIsReleasedByItsHandle() {
    Mono<Boolean> partly =
        locker
            .acquire(List.of("a", "b"), OPTIONS)
            .delayElement(SECOND, v.time)
            .flatMap(Lock::release);
    SignalProbe<Boolean> probe = in("a", partly.flatMap(any -> slow(any)));

    assertThat(v.isFree("b")).isFalse();
    v.pass(SECOND);
    assertThat(v.isFree("b")).isTrue();
    assertThat(v.isFree("a")).isFalse();
    v.pass(SECOND);

    assertThat(probe.value()).isTrue();
  }

  @Test
  void attemptOnMissingKeysThatAreHeldElsewhereIsEmpty() {
    v.run(v.another().acquire("b", OPTIONS));

    SignalProbe<Lock> probe = in("a", locker.tryAcquire(List.of("a", "b"), OPTIONS));

    assertThat(probe.values).isEmpty();
    assertThat(probe.error).isNull();
  }

  @Test
  void rawLockDoesNotMakeItsFlowHoldTheKey() {
    LockOptions once = OPTIONS.waitAtMost(Duration.ZERO);

    SignalProbe<Object> probe =
        v.run(
            locker
                .acquire("a", TTL)
                .flatMap(lock -> locker.withLock("a", once, inner -> Mono.never())));

    probe.error(LockNotAcquiredException.class);
  }

  @Test
  void allElseIsWhatTheWrappedLockerDoes() {
    Lock lock = v.run(locker.acquire("a", TTL)).value();

    assertThat(locker.defaults()).isSameAs(v.locker.defaults());
    assertThat(locker.activity()).hasSize(1);
    assertThat(v.run(locker.inspect("a")).value().key()).isEqualTo("a");
    assertThat(v.run(locker.attach(List.of("a"), lock.token(), OPTIONS)).value().token())
        .isEqualTo(lock.token());
    assertThat(v.run(locker.forceRelease("a")).value()).isTrue();
    v.run(locker.close());
    v.run(locker.acquire("a", TTL)).error(io.monolock.LockerClosedException.class);
  }
}
