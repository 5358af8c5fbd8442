// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The handle of an inner scope. */
class NestedLockTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(9));

  private final LockerInVirtualTime v = new LockerInVirtualTime();
  private final ReactiveLocker locker = ReentrantLocker.wrap(v.locker);
  private Lock outer;

  /** The handle of an inner scope that does not end, in a scope on {@code held}. */
  private Lock inner(List<String> held, List<String> wanted, LockOptions options) {
    AtomicReference<Lock> inner = new AtomicReference<>();
    v.run(
        locker.withLock(
            held,
            options,
            lock -> {
              outer = lock;
              return locker.withLock(
                  wanted,
                  OPTIONS.metadata("inner"),
                  own -> {
                    inner.set(own);
                    return Mono.never();
                  });
            }));
    v.store.calls.clear();
    return inner.get();
  }

  private Lock whole() {
    return inner(List.of("a", "b"), List.of("a"), OPTIONS.metadata("outer"));
  }

  private Lock partly() {
    return inner(List.of("a"), List.of("a", "b"), OPTIONS.metadata("outer"));
  }

  @Test
  void showsItsOwnKeysAndTheProofOfTheOuterLock() {
    Lock lock = whole();

    assertThat(lock.keys()).isEqualTo(Set.of("a"));
    assertThat(lock.token()).isEqualTo(outer.token());
    assertThat(lock.metadata()).isEqualTo("outer");
    assertThat(lock.fencingToken()).isEmpty();
    assertThat(lock.toString()).contains("[a]", "nested").doesNotContain(lock.token());
  }

  @Test
  void showsTheProofOfWhatWasTakenForIt() {
    Lock lock = partly();

    assertThat(lock.keys()).containsExactly("a", "b");
    assertThat(lock.token()).isNotEqualTo(outer.token());
    assertThat(lock.metadata()).isEqualTo("inner");
  }

  @Test
  void fencingTokenIsThatOfTheLockThatHoldsAllKeys() {
    Lock lock = inner(List.of("a", "b"), List.of("a"), OPTIONS.fenced(true));

    assertThat(lock.fencingToken()).isPresent().isEqualTo(outer.fencingToken());
  }

  @Test
  void keysOfTwoLocksHaveNoCommonFencingToken() {
    LockOptions fenced = OPTIONS.fenced(true);
    Mono<Boolean> inner =
        locker.withLock(
            List.of("a", "b"), OPTIONS, lock -> Mono.just(lock.fencingToken().isPresent()));

    SignalProbe<Boolean> probe =
        v.run(locker.withLock("a", fenced, lock -> locker.withLock("b", fenced, second -> inner)));

    assertThat(probe.value()).isFalse();
  }

  @Test
  void isValidAsLongAsTheShortestOfItsParts() {
    Lock lock =
        inner(
            List.of("a"), List.of("a", "b"), OPTIONS.ttl(Duration.ofSeconds(5)).autoRefresh(false));

    assertThat(lock.remaining()).isEqualTo(outer.remaining()).isPositive();
    assertThat(lock.isValid()).isTrue();
    assertThat(v.run(lock.ttl()).value()).isEqualTo(Duration.ofSeconds(5));
    v.pass(Duration.ofSeconds(5));

    assertThat(lock.isValid()).isFalse();
    assertThat(lock.remaining()).isZero();
  }

  @Test
  void extendExtendsItsOwnKeysOnly() {
    Lock lock = whole();

    SignalProbe<Void> probe = v.run(lock.extend(Duration.ofMinutes(1)));

    assertThat(probe.error).isNull();
    assertThat(v.store.calls).containsExactly("extend [a]");
    assertThat(ttl("a")).isEqualTo(Duration.ofMinutes(1));
    assertThat(ttl("b")).isLessThan(Duration.ofSeconds(10));
  }

  private Duration ttl(String key) {
    return v.run(v.memory.inspect(key)).value().remaining().orElseThrow();
  }

  @Test
  void extendExtendsEachPartByItsOwner() {
    Lock lock = partly();

    v.run(lock.extend(Duration.ofMinutes(1)));
    assertThat(v.store.calls).containsExactly("extend [b]", "extend [a]");
    v.store.calls.clear();
    v.run(lock.extend(List.of("b"), Duration.ofMinutes(2)));

    assertThat(v.store.calls).containsExactly("extend [b]");
  }

  @Test
  void extendChecksItsInputAtTheCall() {
    Lock lock = whole();

    assertThatThrownBy(() -> lock.extend(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> lock.extend(List.of("b"), Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("keys to extend must be among those of the lock, [a], was [b]");
  }

  @Test
  void releaseFreesNothingThatAnOuterScopeHolds() {
    Lock lock = whole();

    assertThat(v.run(lock.release()).value()).isTrue();

    assertThat(v.store.calls).isEmpty();
    assertThat(lock.isValid()).isFalse();
    assertThat(lock.remaining()).isZero();
    assertThat(v.run(lock.ttl()).value()).isZero();
    assertThat(outer.isValid()).isTrue();
    assertThat(v.run(lock.release()).value()).isTrue();
  }

  @Test
  void releaseFreesWhatWasTakenForTheScope() {
    Lock lock = partly();

    assertThat(v.run(lock.release()).value()).isTrue();

    assertThat(v.store.calls).containsExactly("release [b]");
    assertThat(v.isFree("b")).isTrue();
    assertThat(v.isFree("a")).isFalse();
    assertThat(lock.isValid()).isFalse();
  }

  @Test
  void releaseAfterTheLossOfTheOuterLockIsFalse() {
    for (boolean partly : new boolean[] {false, true}) {
      Lock lock = partly ? partly() : whole();
      v.run(outer.release());

      assertThat(v.run(lock.release()).value()).isFalse();
      assertThat(v.run(lock.release()).value()).isFalse();
    }
  }

  @Test
  void scopeGoesOnAfterItsHandleWasReleased() {
    Mono<String> inner =
        locker.withLock(
            List.of("a", "b"),
            OPTIONS,
            lock ->
                lock.release()
                    .then(Mono.delay(Duration.ofSeconds(1), v.time))
                    .thenReturn("to its end"));
    SignalProbe<String> probe = v.run(locker.withLock("a", OPTIONS, lock -> inner));

    v.pass(Duration.ofSeconds(1));

    assertThat(probe.value()).isEqualTo("to its end");
  }

  @Test
  void keyWhoseInnerHandleWasReleasedIsStillHeldByTheFlow() {
    Mono<String> inner =
        locker.withLock(
            "a",
            OPTIONS,
            lock -> lock.release().then(locker.withLock("a", OPTIONS, any -> Mono.just("in"))));

    assertThat(v.run(locker.withLock("a", OPTIONS, lock -> inner)).value()).isEqualTo("in");
    assertThat(v.store.calls("acquire")).hasSize(1);
  }

  @Test
  void handleEndsWithItsScope() {
    AtomicReference<Lock> inner = new AtomicReference<>();
    Mono<Boolean> scope =
        locker.withLock(
            "a",
            OPTIONS,
            lock -> {
              inner.set(lock);
              return Mono.just(lock.isValid());
            });

    SignalProbe<List<Boolean>> probe =
        v.run(
            locker.withLock(
                "a",
                OPTIONS,
                lock ->
                    scope.map(during -> List.of(during, inner.get().isValid(), lock.isValid()))));

    assertThat(probe.value()).containsExactly(true, false, true);
  }

  @Test
  void keepAliveSignalsTheLossOfAnyPart() {
    Lock lock = partly();
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.run(outer.release());

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
  }

  @Test
  void keepAliveSignalsTheReleaseOfItsOwnPart() {
    Lock lock = partly();
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.run(lock.release());

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
  }

  @Test
  void nothingCanBeDoneWithAHandleThatHasEnded() {
    Lock lock = whole();
    SignalProbe<Object> before = v.run(lock.keepAlive());
    SignalProbe<Object> during = v.run(lock.whileHeld(Mono.never()));
    v.run(lock.release());

    LockLostException lost = before.error(LockLostException.class);
    assertThat(lost.reason()).isEqualTo(Reason.RELEASED);
    assertThat(lost.keys()).containsExactly("a");
    during.error(LockLostException.class);
    v.run(lock.keepAlive()).error(LockLostException.class);
    v.run(lock.extend(Duration.ofSeconds(1))).error(LockLostException.class);
    v.run(lock.whileHeld(Mono.error(new AssertionError("subscribed"))))
        .error(LockLostException.class);
    assertThat(v.store.calls).isEmpty();
  }

  @Test
  void lossOfAnOuterLockIsSignalledByAHandleThatHasEnded() {
    Lock lock = whole();
    v.run(lock.release());
    v.run(outer.release());

    SignalProbe<Object> probe = v.run(Mono.defer(lock::keepAlive).subscribeOn(v.time));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
  }

  @Test
  void bodyRunsAsLongAsItsPartsAreHeld() {
    Lock lock = partly();
    SignalProbe<Integer> probe = v.run(lock.whileHeldMany(Flux.just(1, 2)));
    SignalProbe<Object> pending = v.run(lock.whileHeld(Mono.never()));

    v.run(outer.release());

    assertThat(probe.values).containsExactly(1, 2);
    assertThat(probe.end).isNotNull();
    assertThat(pending.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
  }
}
