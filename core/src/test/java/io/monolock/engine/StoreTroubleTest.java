// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.StoreOperation.RELEASE;
import static io.monolock.engine.ScriptedStore.answers;
import static io.monolock.engine.ScriptedStore.fails;
import static io.monolock.engine.ScriptedStore.swallowed;
import static io.monolock.engine.ScriptedStore.works;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.engine.ScriptedStore.CallOutcome;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.retry.Retry;

/** G10: busy, broken and lost are three different errors. */
class StoreTroubleTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(10))
          .retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(100)))
          .waitAtMost(Duration.ofSeconds(3));

  private static final CallOutcome BUSY =
      answers(new Grant.Busy(Optional.of(Duration.ofSeconds(30))));

  private final VirtualLocker v = new VirtualLocker();

  @Test
  void wakeUpsThatTheStoreEndsAreAskedForAgainAtTheNextRefusal() {
    List<Sinks.Many<LockKeys>> asked = new ArrayList<>();
    LockStore store =
        new DelegatingLockStore(v.memory) {
          @Override
          public Flux<LockKeys> wakeUps(LockKeys keys) {
            asked.add(Sinks.many().multicast().directBestEffort());
            return asked.get(asked.size() - 1).asFlux();
          }
        };
    ReactiveLocker locker = ReactiveLocker.builder(store).timer(v.time).publishOn(v.time).build();
    Lock holder = v.get(v.another().acquire("a", OPTIONS));
    SignalProbe<Lock> waiter =
        v.run(locker.acquire("a", OPTIONS.retry(Retry.fixedDelay(9, Duration.ofSeconds(1)))));

    asked.get(0).tryEmitError(new IllegalStateException("by test"));
    v.pass(Duration.ofMillis(1100));
    assertThat(asked).hasSize(2);
    v.get(holder.release());
    asked.get(1).tryEmitNext(LockKeys.of("a"));
    v.pass(Duration.ofMillis(10));

    assertThat(waiter.value().isValid()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("tryAcquire reports trouble at once, passing trouble too")
  void tryAcquireReportsTroubleAtOnce(Reason reason) {
    v.store.next(ACQUIRE, fails(reason, true));
    SignalProbe<Lock> probe = v.run(v.locker.tryAcquire("a", OPTIONS));

    assertIs(probe, reason);
    assertThat(v.store.count(ACQUIRE)).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void acquireWaitsPassingTroubleOut(Reason reason) {
    v.store.next(ACQUIRE, fails(reason, true), fails(reason, true));
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofMillis(200));

    assertThat(probe.value().isValid()).isTrue();
    assertThat(v.observed.events).containsExactly("waiting [a]", "acquired [a] attempts=3");
  }

  @ParameterizedTest
  @EnumSource
  void troubleThatDoesNotPassEndsTheWaitAtOnce(Reason reason) {
    v.store.next(ACQUIRE, BUSY, fails(reason, false));
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofMillis(100));

    assertIs(probe, reason);
    assertThat(((LockStoreException) probe.error).isTransient()).isFalse();
  }

  @Test
  void troubleIsWaitedOutOnlyAsLongAsTheSubscriberWaits() {
    v.store.always(ACQUIRE, fails(Reason.SERVER_STATE, true));
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofMillis(2_999));
    assertThat(probe.isPending()).isTrue();
    v.pass(Duration.ofMillis(1));

    assertIs(probe, Reason.SERVER_STATE);
  }

  static Stream<Arguments> lastAnswers() {
    CallOutcome loading = fails(Reason.SERVER_STATE, true);
    CallOutcome cut = fails(Reason.UNAVAILABLE, true);
    CallOutcome lost = fails(Reason.UNKNOWN_OUTCOME, true);
    return Stream.of(
        arguments("busy, then out of reach", BUSY, cut, null),
        arguments("busy, then unanswered", BUSY, lost, null),
        arguments("busy, then swallowed", BUSY, swallowed(), null),
        arguments("busy, then loading", BUSY, loading, Reason.SERVER_STATE),
        arguments("loading, then busy", loading, BUSY, null),
        arguments("loading, then out of reach", loading, cut, Reason.SERVER_STATE),
        arguments("out of reach, then busy", cut, BUSY, null),
        arguments("never reached", cut, cut, Reason.UNAVAILABLE),
        arguments("out of reach, then unanswered", cut, lost, Reason.UNKNOWN_OUTCOME),
        arguments("swallowed", swallowed(), swallowed(), Reason.UNKNOWN_OUTCOME));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lastAnswers")
  @DisplayName("the last attempt that was answered decides")
  void theLastAnswerDecides(String name, CallOutcome first, CallOutcome later, Reason expected) {
    v.store.next(ACQUIRE, first).always(ACQUIRE, later);
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofSeconds(3));

    if (expected == null) {
      assertThat(probe.error).isInstanceOf(LockNotAcquiredException.class);
    } else {
      assertIs(probe, expected);
    }
  }

  @Test
  @DisplayName("B46: a store that cannot be reached never gives a lock, nor nothing at all")
  void troubleIsNeverALockAndNeverEmpty() {
    v.store.always(ACQUIRE, fails(Reason.UNAVAILABLE, true));

    assertThat(v.run(v.locker.tryAcquire("a", OPTIONS)).error)
        .isInstanceOf(LockStoreException.class);
  }

  @Test
  void aRefusalThatComesLateDoesNotDisturbTheAttemptUnderWay() {
    HeldBack late = HeldBack.answer();
    v.get(v.another().tryAcquire("a", Duration.ofHours(1)));
    v.store.next(ACQUIRE, late).always(ACQUIRE, swallowed());
    v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofMillis(2_100));
    late.letThrough();
    v.pass(Duration.ofMillis(800));

    assertThat(v.store.count(ACQUIRE)).isEqualTo(2);
  }

  @Test
  void whatWasNeverSentIsNotReleased() {
    v.store.always(ACQUIRE, fails(Reason.UNAVAILABLE, true));
    v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofMinutes(1));

    assertThat(v.store.count(RELEASE)).isZero();
  }

  @Test
  void theErrorNamesOperationAndKeysAndKeepsTheCauseOfTheDriver() {
    IllegalStateException driver = new IllegalStateException("boom");
    v.store.next(ACQUIRE, throwing(driver));
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));

    assertThat(probe.error)
        .isInstanceOf(LockStoreException.class)
        .hasMessageContaining("could not lock [a]")
        .hasMessageContaining("boom")
        .hasCause(driver);
    assertThat(((LockException) probe.error).keys()).containsExactly("a");
  }

  @Test
  void theErrorOfAnUnansweredCommandSaysWhereToLook() {
    v.store.always(ACQUIRE, swallowed());
    SignalProbe<Lock> probe = v.run(v.locker.tryAcquire("a", OPTIONS));
    v.pass(Duration.ofSeconds(2));

    assertThat(probe.error).hasMessageContaining("2000 ms").hasMessageContaining("look at");
  }

  @Test
  @DisplayName("B17: a store that throws instead of signalling is trouble like any other")
  void aStoreThatThrowsIsTroubleLikeAnyOther() {
    v.store.next(
        ACQUIRE,
        new CallOutcome() {
          @Override
          public <T> Mono<T> of(Mono<T> call) {
            throw new NoClassDefFoundError("gone");
          }
        });
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));

    assertIs(probe, Reason.UNKNOWN_OUTCOME);
    v.time.advanceTime();
    assertThat(v.store.count(RELEASE)).isEqualTo(1);
  }

  @Test
  void aStoreThatCompletesWithoutAnAnswerIsTroubleToo() {
    v.store.next(
        ACQUIRE,
        new CallOutcome() {
          @Override
          public <T> Mono<T> of(Mono<T> call) {
            return Mono.empty();
          }
        });

    assertIs(v.run(v.locker.tryAcquire("a", OPTIONS)), Reason.UNKNOWN_OUTCOME);
  }

  @Test
  void aReleaseThatTookEffectButWasNotConfirmedByReplicasWasOurs() {
    Lock lock = v.get(v.locker.acquire("a", OPTIONS));
    v.store.next(RELEASE, ScriptedStore.executedButFails(Reason.NOT_REPLICATED, true), works());
    SignalProbe<Boolean> release = v.run(lock.release());
    v.pass(Duration.ofSeconds(1));

    assertThat(release.value()).isTrue();
  }

  private static CallOutcome throwing(RuntimeException e) {
    return new CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.error(e);
      }
    };
  }

  private static void assertIs(SignalProbe<Lock> probe, Reason reason) {
    assertThat(probe.error)
        .isInstanceOfSatisfying(
            LockStoreException.class, e -> assertThat(e.reason().name()).isEqualTo(reason.name()));
  }
}
