// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.fails;
import static io.monolock.engine.ScriptedStore.swallowed;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;
import io.monolock.ReactiveLocker;
import io.monolock.engine.ScriptedStore.CallOutcome;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

@DisplayName("G8: close")
class CloseTest {

  private static final Duration TTL = Duration.ofMinutes(1);
  private static final LockOptions FINISHING = LockOptions.of(TTL).finishOnCancel(true);

  private final VirtualLocker v = new VirtualLocker();

  /** Closes, but keeps what is in memory to look at. */
  private SignalProbe<Void> close() {
    v.store.always(
        StoreOperation.CLOSE,
        new CallOutcome() {
          @Override
          public <T> Mono<T> of(Mono<T> call) {
            return Mono.empty();
          }
        });
    return v.run(v.locker.close());
  }

  private static boolean isDone(SignalProbe<Void> probe) {
    return probe.end != null && probe.error == null;
  }

  @Test
  void lockerThatHoldsNothingClosesAtOnce() {
    assertThat(isDone(close())).isTrue();
    assertThat(v.store.calls()).containsExactly(StoreOperation.CLOSE);
  }

  @Test
  @DisplayName("B32: waiters end with the error of a closed locker")
  void waitersEndWithTheErrorOfAClosedLocker() {
    v.get(v.another().acquire("a", TTL));
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", TTL));

    SignalProbe<Void> closing = close();

    assertThat(waiter.error).isInstanceOf(LockerClosedException.class);
    assertThat(isDone(closing)).isTrue();
  }

  @Test
  void scopesAreCancelledWithAnErrorAndTheirKeysFree() {
    AtomicBoolean cancelled = new AtomicBoolean();
    SignalProbe<Object> scope =
        v.run(v.locker.withLock("a", TTL, Mono.never().doOnCancel(() -> cancelled.set(true))));

    SignalProbe<Void> closing = close();

    assertThat(cancelled).isTrue();
    assertThat(scope.error).isInstanceOf(LockerClosedException.class);
    assertThat(isDone(closing)).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void rawHandlesAreReleased() {
    Lock lock = v.get(v.locker.acquire("a", TTL));

    close();

    assertThat(lock.isValid()).isFalse();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void attachedHandlesAreReleased() {
    Lock others = v.get(v.another().acquire("a", TTL));
    v.get(v.locker.attach(Set.of("a"), others.token(), LockOptions.of(TTL)));

    close();

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void keysAreFreeBeforeTheStoreCloses() {
    HeldBack slow = HeldBack.answer();
    v.store.next(StoreOperation.RELEASE, slow);
    v.get(v.locker.acquire("a", TTL));

    SignalProbe<Void> closing = close();
    assertThat(v.store.count(StoreOperation.CLOSE)).isZero();
    slow.letThrough();
    v.time.advanceTime();

    assertThat(v.store.count(StoreOperation.CLOSE)).isEqualTo(1);
    assertThat(isDone(closing)).isTrue();
  }

  @Test
  void finishingScopeMayEndWithinTheTimeForClosing() {
    SignalProbe<String> scope =
        v.run(
            v.locker.withLock(
                "a",
                FINISHING,
                lock -> Mono.delay(Duration.ofSeconds(4), v.time).map(n -> "done")));
    SignalProbe<Void> closing = close();

    v.pass(Duration.ofSeconds(4));

    assertThat(scope.value()).isEqualTo("done");
    assertThat(isDone(closing)).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void finishingScopeMayStillExtendItsLock() {
    SignalProbe<String> scope =
        v.run(
            v.locker.withLock(
                "a",
                FINISHING,
                lock ->
                    Mono.delay(Duration.ofSeconds(1), v.time)
                        .then(lock.extend(Duration.ofHours(1)))
                        .thenReturn("done")));
    close();

    v.pass(Duration.ofSeconds(1));

    assertThat(scope.value()).isEqualTo("done");
  }

  @Test
  void finishingScopeIsCutWhenTheTimeForClosingIsOver() {
    AtomicBoolean cancelled = new AtomicBoolean();
    SignalProbe<Object> scope =
        v.run(
            v.locker.withLock(
                "a", FINISHING, lock -> Mono.never().doOnCancel(() -> cancelled.set(true))));
    SignalProbe<Void> closing = close();

    v.pass(Duration.ofSeconds(5).minusNanos(1));
    assertThat(cancelled).isFalse();
    v.pass(Duration.ofNanos(1));

    assertThat(cancelled).isTrue();
    assertThat(scope.error).isInstanceOf(LockerClosedException.class);
    assertThat(isDone(closing)).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void everyCallAfterwardsFailsAsTheLockerIsClosed() {
    close();

    for (Publisher<?> call :
        List.of(
            v.locker.acquire("a", TTL),
            v.locker.tryAcquire("a", TTL),
            v.locker.withLock("a", TTL, Mono.just(1)),
            v.locker.withLockMany("a", FINISHING, lock -> Flux.just(1)),
            v.locker.attach(Set.of("a"), "1234567890123456789012", FINISHING),
            v.locker.inspect("a"),
            v.locker.forceRelease("a"))) {
      assertThat(v.run(call).error).isInstanceOf(LockerClosedException.class);
    }
    assertThat(v.store.calls()).containsExactly(StoreOperation.CLOSE);
  }

  @Test
  @Timeout(20)
  void callsAfterTheOwnTimerIsDisposedFailAlike() {
    ReactiveLocker locker = ReactiveLocker.create(InMemoryLockStore.create());
    Lock lock = locker.acquire("a", TTL).block();
    locker.close().block();

    assertThat(locker.inspect("a").materialize().block().getThrowable())
        .isInstanceOf(LockerClosedException.class);
    assertThat(locker.acquire("a", TTL).materialize().block().getThrowable())
        .isInstanceOf(LockerClosedException.class);
    assertThat(lock.release().block()).isTrue();
    assertThat(lock.ttl().block()).isZero();
    assertThat(lock.extend(TTL).materialize().block().getThrowable())
        .isInstanceOf(LockLostException.class);
    locker.close().block();
  }

  @Test
  void closingAgainIsTheSameClosing() {
    close();

    assertThat(isDone(v.run(v.locker.close()))).isTrue();
    assertThat(v.store.count(StoreOperation.CLOSE)).isEqualTo(1);
  }

  @Test
  void cancelledCloseGoesOn() {
    HeldBack slow = HeldBack.answer();
    v.store.next(StoreOperation.RELEASE, slow);
    v.get(v.locker.acquire("a", TTL));

    close().cancel();
    slow.letThrough();
    v.time.advanceTime();

    assertThat(v.store.count(StoreOperation.CLOSE)).isEqualTo(1);
  }

  @Test
  @DisplayName("G4: an acquisition whose answer is late leaves no key")
  void lateGrantLeavesNoKey() {
    HeldBack slow = HeldBack.answer();
    v.store.next(StoreOperation.ACQUIRE, slow);
    SignalProbe<Lock> acquisition = v.run(v.locker.acquire("a", TTL));

    SignalProbe<Void> closing = close();
    assertThat(acquisition.error).isInstanceOf(LockerClosedException.class);
    assertThat(closing.isPending()).isTrue();
    slow.letThrough();
    v.time.advanceTime();

    assertThat(isDone(closing)).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  static List<CallOutcome> closeTrouble() {
    return List.of(
        fails(StoreProblem.Reason.UNAVAILABLE, false),
        swallowed(),
        new CallOutcome() {
          @Override
          public <T> Mono<T> of(Mono<T> call) {
            throw new IllegalStateException("by test");
          }
        });
  }

  @ParameterizedTest
  @MethodSource("closeTrouble")
  void storeThatCannotBeClosedDoesNotKeepTheLocker(CallOutcome trouble) {
    v.store.always(StoreOperation.CLOSE, trouble);
    SignalProbe<Void> closing = v.run(v.locker.close());

    v.pass(Duration.ofSeconds(2));

    assertThat(isDone(closing)).isTrue();
  }

  @Test
  void silentStoreKeepsTheLockerNoLongerThanItsTimes() {
    v.store.always(StoreOperation.RELEASE, swallowed());
    v.get(v.locker.acquire("a", TTL));
    SignalProbe<Void> closing = close();

    v.pass(Duration.ofSeconds(5 + 1));

    assertThat(isDone(closing)).isTrue();
  }

  @Test
  void releaseThatIsUnansweredUntilTheEndHasAnUnknownOutcome() {
    v.store.always(StoreOperation.RELEASE, swallowed());
    Lock lock = v.get(v.locker.acquire("a", TTL));
    close();
    v.pass(Duration.ofSeconds(5));
    SignalProbe<Boolean> release = v.run(lock.release());

    v.pass(Duration.ofSeconds(1));

    assertThat(release.error(LockStoreException.class).isTransient()).isTrue();
    assertThat(v.observed.events).contains("released [a] wasOurs=false");
  }

  @Test
  void nothingRunsAfterwards() {
    v.store.always(StoreOperation.RELEASE, swallowed());
    v.run(v.locker.withLock("a", TTL, Mono.never()));
    v.run(v.locker.acquire("b", TTL));
    v.run(v.locker.acquire("b", TTL));
    close();

    v.pass(Duration.ofSeconds(10));
    List<StoreOperation> calls = v.store.calls();

    assertThat(v.isIdle()).isTrue();
    assertThat(v.store.calls()).isEqualTo(calls);
  }

  @RepeatedTest(20)
  @Timeout(30)
  @DisplayName("G4: acquisitions racing with close leave no key and all end")
  void acquisitionsRacingWithCloseLeaveNoKey() {
    InMemoryLockStore memory = InMemoryLockStore.create();
    ScriptedStore store = new ScriptedStore(memory);
    store.always(
        StoreOperation.CLOSE,
        new CallOutcome() {
          @Override
          public <T> Mono<T> of(Mono<T> call) {
            return Mono.empty();
          }
        });
    ReactiveLocker locker = ReactiveLocker.create(store);
    List<Throwable> errors = new CopyOnWriteArrayList<>();

    Mono<Void> locks =
        Flux.range(0, 200)
            .flatMap(
                i ->
                    (i % 2 == 0
                            ? locker.acquire("k" + i, TTL).then()
                            : locker.withLock("k" + i, TTL, Mono.never()).then())
                        .subscribeOn(Schedulers.parallel())
                        .onErrorResume(
                            e -> {
                              errors.add(e);
                              return Mono.empty();
                            }),
                200)
            .then();
    Mono.when(locks, Mono.delay(Duration.ofMillis(2)).then(locker.close())).block();

    assertThat(errors).hasOnlyElementsOfType(LockerClosedException.class);
    for (int i = 0; i < 200; i++) {
      assertThat(memory.inspect("k" + i).blockOptional()).as("k" + i).isEmpty();
    }
  }
}
