// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.StoreOperation.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockerClosedException;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.Grant;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

class AcquireTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(10));
  private static final LockOptions ONE_ATTEMPT = OPTIONS.waitAtMost(Duration.ZERO);

  private final VirtualLocker v = new VirtualLocker();

  @Test
  void tryAcquireGivesAFreeLock() {
    Lock lock = v.get(v.locker.tryAcquire("a", OPTIONS));

    assertThat(lock.isValid()).isTrue();
    assertThat(lock.keys()).containsExactly("a");
    assertThat(v.observed.events).containsExactly("acquired [a] attempts=1");
  }

  @Test
  void tryAcquireIsEmptyWhenAnotherHolderHasAKey() {
    v.get(v.another().tryAcquire("b", OPTIONS));

    SignalProbe<Lock> probe = v.run(v.locker.tryAcquire(List.of("a", "b"), OPTIONS));

    assertThat(probe.values).isEmpty();
    assertThat(probe.end).isEqualTo(SignalType.ON_COMPLETE);
    assertThat(v.observed.events).containsExactly("notAcquired [a, b] attempts=1");
  }

  @Test
  void aRefusedAcquisitionTakesNoneOfItsKeys() {
    v.get(v.another().tryAcquire("b", OPTIONS));

    v.run(v.locker.tryAcquire(List.of("a", "b"), OPTIONS));

    v.get(v.another().tryAcquire("a", OPTIONS));
  }

  @Test
  void acquireThatMayNotWaitMakesOneAttempt() {
    v.get(v.another().tryAcquire("a", OPTIONS));

    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", ONE_ATTEMPT));

    assertThat(probe.error)
        .isInstanceOfSatisfying(
            LockNotAcquiredException.class, busy -> assertThat(busy.attempts()).isEqualTo(1));
    assertThat(v.store.count(ACQUIRE)).isEqualTo(1);
    assertThat(v.observed.events).containsExactly("notAcquired [a] attempts=1");
  }

  @Test
  void nothingIsSentBeforeTheLockIsSubscribed() {
    v.locker.acquire("a", OPTIONS);
    v.pass(Duration.ofSeconds(1));

    assertThat(v.store.calls()).isEmpty();
  }

  @Test
  void aSubscriberThatRequestsTwiceGetsOneLock() {
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", OPTIONS));
    probe.request(1);
    v.time.advanceTime();

    assertThat(probe.values).hasSize(1);
    assertThat(v.store.count(ACQUIRE)).isEqualTo(1);
  }

  @Test
  void theDeadlineIsCountedFromBeforeTheCommand() {
    HeldBack held = HeldBack.answer();
    v.store.next(ACQUIRE, held);
    SignalProbe<Lock> probe = v.run(v.locker.tryAcquire("a", OPTIONS));
    v.pass(Duration.ofMillis(500));
    held.letThrough();
    v.time.advanceTime();

    assertThat(probe.value().remaining()).isEqualTo(Duration.ofMillis(10_000 - 100 - 2 - 500));
  }

  @Test
  @DisplayName("B129: the store sees the subscriber's Context")
  void theStoreSeesTheContextOfTheSubscriber() {
    AtomicReference<String> seen = new AtomicReference<>();
    v.store.next(
        ACQUIRE,
        new ScriptedStore.CallOutcome() {
          @Override
          public <T> Mono<T> of(Mono<T> call) {
            return Mono.deferContextual(
                context -> {
                  seen.set(context.get("user"));
                  return call;
                });
          }
        });

    v.get(v.locker.acquire("a", OPTIONS).contextWrite(context -> context.put("user", "alice")));

    assertThat(seen).hasValue("alice");
  }

  @Test
  @DisplayName("B36: a second flow waits, though the same process holds the lock")
  void aLockIsNotReentrantByItself() {
    v.get(v.locker.acquire("a", OPTIONS));

    assertThat(v.run(v.locker.tryAcquire("a", OPTIONS)).end).isEqualTo(SignalType.ON_COMPLETE);
  }

  @Test
  void theErrorOfABusyLockNamesKeysAndWhenToTryAgain() {
    v.get(v.another().tryAcquire("b", OPTIONS));

    SignalProbe<Lock> probe = v.run(v.locker.acquire(List.of("a", "b"), ONE_ATTEMPT));

    assertThat(((LockException) probe.error).keys()).containsExactly("a", "b");
    assertThat(probe.error)
        .hasMessageContaining("[a, b]")
        .hasMessageContaining("10000 ms")
        .hasMessageContaining("try later");
  }

  @Test
  @DisplayName("B41: a key that never expires is reported as such")
  void theErrorOfAKeyThatNeverExpiresSaysToLookAtIt() {
    v.store.always(ACQUIRE, ScriptedStore.answers(new Grant.Busy(Optional.empty())));

    SignalProbe<Lock> probe =
        v.run(v.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofSeconds(1))));
    v.pass(Duration.ofSeconds(1));

    assertThat(probe.error)
        .hasMessageContaining("never expires")
        .hasMessageContaining("inspect")
        .isInstanceOfSatisfying(
            LockNotAcquiredException.class, busy -> assertThat(busy.retryAfter()).isEmpty());
  }

  @Test
  void anAcquisitionThatFailedLeavesNothingToClose() {
    v.get(v.another().tryAcquire("a", OPTIONS));
    v.run(v.locker.tryAcquire("a", OPTIONS));

    assertThat(v.run(v.locker.close()).end).isEqualTo(SignalType.ON_COMPLETE);
    assertThat(v.store.count(RELEASE)).isZero();
  }

  @Test
  void aClosedLockerSendsNothing() {
    v.run(v.locker.close());

    assertThat(v.run(v.locker.acquire("a", OPTIONS)).error)
        .isInstanceOf(LockerClosedException.class);
    assertThat(v.run(v.locker.tryAcquire("a", OPTIONS)).error)
        .isInstanceOf(LockerClosedException.class);
    assertThat(v.store.count(ACQUIRE)).isZero();
  }

  @Test
  @DisplayName("B32: a waiter ends with an error when the locker closes")
  void closingEndsTheWait() {
    v.get(v.another().tryAcquire("a", OPTIONS));
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS));
    v.run(v.locker.close());

    assertThat(waiter.error).isInstanceOf(LockerClosedException.class);
  }
}
