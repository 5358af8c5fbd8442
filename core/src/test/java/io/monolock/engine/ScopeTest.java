// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.fails;
import static io.monolock.engine.ScriptedStore.swallowed;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.CallOutcome;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;

class ScopeTest {

  private static final Duration TTL = Duration.ofSeconds(9);

  private final VirtualLocker v = new VirtualLocker();

  private <T> SignalProbe<T> under(Mono<T> body) {
    return v.run(v.locker.withLock("a", TTL, body));
  }

  /** Ways in which a release goes wrong: refused, not ours, in trouble, silent. */
  static List<CallOutcome> releaseTrouble() {
    return List.of(
        fails(StoreProblem.Reason.PERMISSION, false),
        fails(StoreProblem.Reason.UNAVAILABLE, true),
        new CallOutcome() {
          @Override
          @SuppressWarnings("unchecked")
          public <T> Mono<T> of(Mono<T> call) {
            return (Mono<T>) Mono.just(false);
          }
        },
        swallowed());
  }

  @Test
  void valueOfTheBodyIsTheResultAndTheKeyIsFree() {
    assertThat(under(Mono.just("done")).value()).isEqualTo("done");
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void tryWithLockRunsTheBodyUnderALockThatIsRefreshed() {
    SignalProbe<String> probe =
        v.run(v.locker.tryWithLock("a", TTL, Mono.delay(TTL, v.time).thenReturn("late")));
    v.pass(TTL.multipliedBy(2));

    assertThat(probe.value()).isEqualTo("late");
    assertThat(v.store.count(StoreOperation.EXTEND)).isPositive();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void tryWithLockIsEmptyAndRunsNothingWhenAnotherHolderHasTheKey() {
    v.get(v.another().tryAcquire("a", TTL));
    AtomicBoolean ran = new AtomicBoolean();

    SignalProbe<Object> probe =
        v.run(v.locker.tryWithLock("a", TTL, Mono.fromRunnable(() -> ran.set(true))));

    assertThat(probe.values).isEmpty();
    assertThat(probe.error).isNull();
    assertThat(probe.end).isNotNull();
    assertThat(v.store.count(StoreOperation.ACQUIRE)).isEqualTo(1);
    assertThat(ran).isFalse();
  }

  @Test
  void tryWithLockPassesOnThatTheBodyItselfGotNoLock() {
    v.get(v.another().tryAcquire("b", TTL));
    LockOptions once = LockOptions.of(TTL).waitAtMost(Duration.ZERO);

    SignalProbe<Object> probe =
        v.run(v.locker.tryWithLock("a", TTL, v.locker.withLock("b", once, Mono.empty())));

    assertThat(probe.error(LockNotAcquiredException.class).keys()).containsExactly("b");
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void emptyBodyIsAnEmptyResult() {
    SignalProbe<Object> probe = under(Mono.empty());

    assertThat(probe.values).isEmpty();
    assertThat(probe.end).isNotNull();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void errorOfTheBodyIsTheResultAndTheKeyIsFree() {
    Exception own = new Exception("own");

    assertThat(under(Mono.error(own)).error).isSameAs(own).hasNoSuppressedExceptions();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void lockIsHeldAndRefreshedWhileTheBodyRuns() {
    SignalProbe<String> probe = under(Mono.delay(Duration.ofMinutes(5), v.time).map(any -> "done"));

    v.pass(Duration.ofMinutes(4));
    assertThat(v.isFree("a")).isFalse();
    v.pass(Duration.ofMinutes(1));

    assertThat(probe.value()).isEqualTo("done");
    assertThat(v.isFree("a")).isTrue();
  }

  @ParameterizedTest
  @MethodSource("releaseTrouble")
  @DisplayName("G6 B125: trouble of the release neither replaces the value nor delays it past 1 s")
  void releaseTroubleLeavesTheValue(CallOutcome trouble) {
    v.store.always(StoreOperation.RELEASE, trouble);
    SignalProbe<String> probe = under(Mono.just("done"));

    v.pass(Duration.ofSeconds(1));

    assertThat(probe.value()).isEqualTo("done");
  }

  @ParameterizedTest
  @MethodSource("releaseTrouble")
  @DisplayName("G6 B125: trouble of the release neither replaces the error nor delays it past 1 s")
  void releaseTroubleLeavesTheError(CallOutcome trouble) {
    Exception own = new Exception("own");
    v.store.always(StoreOperation.RELEASE, trouble);
    SignalProbe<Object> probe = under(Mono.error(own));

    v.pass(Duration.ofSeconds(1));

    assertThat(probe.error).isSameAs(own).hasNoCause();
  }

  @Test
  @DisplayName("G6: a release in trouble goes on after the result was given")
  void releaseGoesOnInTheBackground() {
    v.store.always(StoreOperation.RELEASE, fails(StoreProblem.Reason.UNAVAILABLE, true));
    under(Mono.just("done"));
    v.pass(Duration.ofSeconds(2));

    v.store.heal(StoreOperation.RELEASE);
    v.pass(Duration.ofSeconds(2));

    assertThat(v.isFree("a")).isTrue();
    assertThat(v.observed.events).contains("released [a] wasOurs=true");
  }

  @Test
  @DisplayName("G5 B10: a loss cancels the body and is signalled at the deadline")
  void lossCancelsTheBody() {
    AtomicBoolean cancelled = new AtomicBoolean();
    v.store.always(StoreOperation.EXTEND, swallowed());
    v.store.always(StoreOperation.RELEASE, swallowed());
    SignalProbe<Object> probe = under(Mono.never().doOnCancel(() -> cancelled.set(true)));

    v.pass(Duration.ofMillis(9_000 - 90 - 2).minusNanos(1));
    assertThat(probe.isPending()).isTrue();
    v.pass(Duration.ofNanos(1));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(cancelled).isTrue();
  }

  @Test
  @DisplayName("B15: after a loss no timer and no refresh is left")
  void nothingIsLeftAfterALoss() {
    under(Mono.never());
    v.get(v.locker.forceRelease("a"));

    v.pass(Duration.ofMinutes(2));

    assertThat(v.store.count(StoreOperation.EXTEND)).isEqualTo(1);
    assertThat(v.store.count(StoreOperation.RELEASE)).isEqualTo(1);
    assertThat(v.isIdle()).isTrue();
  }

  @Test
  @DisplayName("G5: a value past the deadline is a loss")
  void valuePastTheDeadlineIsALoss() {
    // both due in one jump of the clock, the value first
    SignalProbe<String> probe = underPausedClock(Mono.just("late"));

    assertThat(probe.values).isEmpty();
    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.EXPIRED);
  }

  @Test
  @DisplayName("G5: a completion past the deadline is a loss")
  void completionPastTheDeadlineIsALoss() {
    assertThat(underPausedClock(Mono.<String>empty()).error).isInstanceOf(LockLostException.class);
  }

  @Test
  @DisplayName("G5 B15: an own error past the deadline stays, with the loss suppressed")
  void ownErrorPastTheDeadlineStays() {
    Exception own = new Exception("own");

    SignalProbe<String> probe = underPausedClock(Mono.error(own));

    assertThat(probe.error).isSameAs(own);
    assertThat(own.getSuppressed()).singleElement().isInstanceOf(LockLostException.class);
  }

  /** The body ends after its lock did, but before any timer has run: as after a pause. */
  private <T> SignalProbe<T> underPausedClock(Mono<T> end) {
    v.store.always(StoreOperation.RELEASE, swallowed());
    return v.run(
        v.locker.withLock(
            "a",
            LockOptions.of(TTL).autoRefresh(false),
            lock ->
                Mono.defer(
                    () -> {
                      v.time.advanceTimeBy(TTL);
                      return end;
                    })));
  }

  static List<Throwable> fatal() {
    return List.of(
        new IllegalStateException("own"), new NoClassDefFoundError("own"), new AssertionError());
  }

  @ParameterizedTest
  @MethodSource("fatal")
  @DisplayName("B124: what the body function throws is the result, and the key is free")
  void functionThrows(Throwable own) {
    SignalProbe<Object> probe =
        v.run(
            v.locker.withLock(
                "a",
                TTL,
                lock -> {
                  throw Sneaky.<RuntimeException>thrown(own);
                }));

    assertThat(probe.error).isSameAs(own);
    assertThat(v.isFree("a")).isTrue();
  }

  @ParameterizedTest
  @MethodSource("fatal")
  @DisplayName("B124: what the body throws from subscribe is the result, and the key is free")
  void subscribeThrows(Throwable own) {
    SignalProbe<Object> probe =
        under(
            new Mono<>() {
              @Override
              public void subscribe(CoreSubscriber<? super Object> subscriber) {
                throw Sneaky.<RuntimeException>thrown(own);
              }
            });

    assertThat(probe.error).isSameAs(own);
    assertThat(v.isFree("a")).isTrue();
  }

  @ParameterizedTest
  @MethodSource("fatal")
  @DisplayName("B124: what the body's callable throws is the result, and the key is free")
  void callableThrows(Throwable own) {
    SignalProbe<Object> probe =
        under(
            Mono.fromCallable(
                () -> {
                  throw Sneaky.<RuntimeException>thrown(own);
                }));

    assertThat(probe.error).isSameAs(own);
    assertThat(v.isFree("a")).isTrue();
  }

  @ParameterizedTest
  @MethodSource("fatal")
  @DisplayName("B124: what the body throws in map is the result, and the key is free")
  void mapThrows(Throwable own) {
    SignalProbe<Object> probe =
        under(
            Mono.just(1)
                .map(
                    any -> {
                      throw Sneaky.<RuntimeException>thrown(own);
                    }));

    assertThat(probe.error).isSameAs(own);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void functionThatGivesNullIsAnErrorThatSaysSo() {
    SignalProbe<Object> probe = v.run(v.locker.withLock("a", TTL, lock -> null));

    assertThat(probe.error(NullPointerException.class)).hasMessageContaining("must not be null");
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void bodyThatThrowsAfterItHasStartedIsCancelled() {
    AtomicBoolean cancelled = new AtomicBoolean();
    Publisher<Object> body =
        subscriber -> {
          subscriber.onSubscribe(subscription(() -> cancelled.set(true)));
          throw new IllegalStateException("own");
        };

    SignalProbe<Object> probe =
        v.run(v.locker.withLockMany("a", LockOptions.of(TTL), lock -> body));

    assertThat(probe.error).hasMessage("own");
    assertThat(cancelled).isTrue();
  }

  @Test
  void bodyThatReleasesItsOwnLockKeepsItsResult() {
    SignalProbe<String> probe =
        v.run(v.locker.withLock("a", TTL, lock -> lock.release().map(ours -> "released " + ours)));

    assertThat(probe.value()).isEqualTo("released true");
    assertThat(v.store.count(StoreOperation.RELEASE)).isEqualTo(1);
  }

  @Test
  void bodyThatReleasesItsOwnLockMayGoOn() {
    SignalProbe<String> probe =
        v.run(
            v.locker.withLock(
                "a",
                TTL,
                lock ->
                    lock.release()
                        .then(Mono.delay(Duration.ofMinutes(1), v.time))
                        .thenReturn("done")));

    v.pass(Duration.ofMinutes(1));

    assertThat(probe.value()).isEqualTo("done");
  }

  @Test
  @DisplayName("G5: a body whose lock is released by another handle of its token is cancelled")
  void releaseByAnotherHandleOfTheTokenIsALoss() {
    String[] token = new String[1];
    SignalProbe<Object> probe =
        v.run(
            v.locker.withLock(
                "a",
                TTL,
                lock -> {
                  token[0] = lock.token();
                  return Mono.never();
                }));
    v.get(v.get(v.locker.attach(List.of("a"), token[0], LockOptions.of(TTL))).release());

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B24: cancelled before the grant, the body never starts and the key is free")
  void cancelBeforeTheGrant() {
    AtomicBoolean started = new AtomicBoolean();
    HeldBack held = HeldBack.answer();
    v.store.next(StoreOperation.ACQUIRE, held);
    SignalProbe<Object> probe = under(Mono.fromRunnable(() -> started.set(true)));

    probe.cancel();
    held.letThrough();
    v.time.advanceTime();

    assertThat(started).isFalse();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B30: cancelled during the body, it is cancelled and the key is free")
  void cancelDuringTheBody() {
    AtomicBoolean cancelled = new AtomicBoolean();
    SignalProbe<Object> probe = under(Mono.never().doOnCancel(() -> cancelled.set(true)));

    probe.cancel();
    v.time.advanceTime();

    assertThat(cancelled).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B35: cancel after completion does nothing")
  void cancelAfterCompletionDoesNothing() {
    AtomicReference<Subscription> subscription = new AtomicReference<>();
    v.run(v.locker.withLock("a", TTL, Mono.just(1)).doOnSubscribe(subscription::set));
    List<StoreOperation> calls = v.store.calls();

    subscription.get().cancel();
    v.pass(TTL);

    assertThat(v.store.calls()).isEqualTo(calls);
  }

  @Test
  @DisplayName("B31: a body that ignores cancel does not keep the key")
  void bodyThatIgnoresCancelDoesNotKeepTheKey() {
    SignalProbe<Object> probe = under(ignoringCancel());

    probe.cancel();
    v.time.advanceTime();

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void bodyThatFailsToBeCancelledDoesNotKeepTheKey() {
    SignalProbe<Object> probe =
        under(
            new Mono<>() {
              @Override
              public void subscribe(CoreSubscriber<? super Object> subscriber) {
                subscriber.onSubscribe(
                    subscription(
                        () -> {
                          throw new IllegalStateException("by test");
                        }));
              }
            });

    probe.cancel();
    v.time.advanceTime();

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void bodyThatNeverSubscribesIsEndedByTheLoss() {
    SignalProbe<Object> probe =
        under(
            new Mono<>() {
              @Override
              public void subscribe(CoreSubscriber<? super Object> subscriber) {}
            });
    v.get(v.locker.forceRelease("a"));

    v.pass(TTL);

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.TAKEN);
  }

  @Test
  @DisplayName("B129: the Reactor Context is visible in the body, the acquisition and the release")
  void contextIsVisibleEverywhere() {
    List<String> seen = new CopyOnWriteArrayList<>();
    for (StoreOperation call :
        List.of(StoreOperation.ACQUIRE, StoreOperation.EXTEND, StoreOperation.RELEASE)) {
      v.store.always(call, noting(seen));
    }

    v.run(
        v.locker
            .withLock(
                "a",
                TTL,
                Mono.deferContextual(context -> Mono.just(context.<String>get("user")))
                    .doOnNext(seen::add)
                    .delayElement(TTL.dividedBy(3), v.time))
            .contextWrite(context -> context.put("user", "ada")));
    v.pass(TTL);

    assertThat(seen).containsExactly("ada", "ada", "ada", "ada");
  }

  @Test
  void everySubscriptionIsALockOfItsOwn() {
    Mono<Integer> twice = v.locker.withLock("a", TTL, Mono.just(1));

    assertThat(v.run(Flux.concat(twice, twice)).values).containsExactly(1, 1);
    assertThat(v.store.count(StoreOperation.ACQUIRE)).isEqualTo(2);
  }

  private static CallOutcome noting(List<String> seen) {
    return new CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return Mono.deferContextual(
            context -> {
              seen.add(context.getOrDefault("user", "none"));
              return call;
            });
      }
    };
  }

  private static Mono<Object> ignoringCancel() {
    return new Mono<>() {
      @Override
      public void subscribe(CoreSubscriber<? super Object> subscriber) {
        subscriber.onSubscribe(Operators.emptySubscription());
      }
    };
  }

  private static Subscription subscription(Runnable onCancel) {
    return new Subscription() {
      @Override
      public void request(long n) {}

      @Override
      public void cancel() {
        onCancel.run();
      }
    };
  }

  /** Throws anything unchecked. */
  private static final class Sneaky {
    @SuppressWarnings("unchecked")
    static <E extends Throwable> RuntimeException thrown(Throwable e) throws E {
      throw (E) e;
    }
  }
}
