// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

class ExtendTest {

  private static final Duration TTL = Duration.ofSeconds(10);

  private final VirtualLocker v = new VirtualLocker();
  private final Lock lock = v.get(v.locker.acquire("a", TTL));

  @Test
  void extensionHoldsForItsTtlFromNowOn() {
    v.pass(Duration.ofSeconds(5));

    SignalProbe<Void> probe = v.run(lock.extend(Duration.ofSeconds(20)));

    assertThat(probe.end).isNotNull();
    assertThat(probe.error).isNull();
    assertThat(lock.remaining()).isEqualTo(Duration.ofMillis(20_000 - 200 - 2));
    assertThat(v.get(lock.ttl())).isEqualTo(Duration.ofSeconds(20));
  }

  @Test
  @DisplayName("G1: an extension never shortens")
  void extensionNeverShortens() {
    Duration before = lock.remaining();

    v.run(lock.extend(Duration.ofSeconds(1)));

    assertThat(lock.remaining()).isEqualTo(before);
    assertThat(v.get(lock.ttl())).isEqualTo(TTL);
  }

  @Test
  @DisplayName("G3: a late positive answer does not bring a lock back")
  void latePositiveAnswerDoesNotRevive() {
    VirtualLocker v = new VirtualLocker(b -> b.commandTimeout(Duration.ofMinutes(1)));
    Lock lock = v.get(v.locker.acquire("a", TTL));
    ScriptedStore.HeldBack held = ScriptedStore.HeldBack.answer();
    v.store.next(StoreOperation.EXTEND, held);
    v.pass(Duration.ofSeconds(9));
    SignalProbe<Void> probe = v.run(lock.extend(Duration.ofMinutes(5)));

    v.pass(Duration.ofSeconds(1));
    held.letThrough();
    v.time.advanceTime();

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.EXPIRED);
    assertThat(lock.isValid()).isFalse();
  }

  @Test
  @DisplayName("G8: an extension that is not answered ends with the lock")
  void unansweredExtensionEndsAtTheDeadline() {
    v.store.next(StoreOperation.EXTEND, ScriptedStore.swallowed());
    v.pass(Duration.ofMillis(9_800));
    SignalProbe<Void> probe = v.run(lock.extend(TTL));

    v.pass(Duration.ofMillis(98));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.EXPIRED);
  }

  @Test
  @DisplayName("G1: an extension that is not answered does not count when a refresh goes through")
  void unansweredExtensionDoesNotCountWhileRefreshesDo() {
    VirtualLocker v = new VirtualLocker(b -> b.commandTimeout(Duration.ofMinutes(1)));
    Lock lock = v.get(v.locker.acquire("a", TTL));
    v.store.next(StoreOperation.EXTEND, ScriptedStore.swallowed());
    SignalProbe<Void> extension = v.run(lock.extend(Duration.ofHours(1)));
    v.run(lock.keepAlive());

    v.pass(Duration.ofSeconds(30));

    assertThat(lock.isValid()).isTrue();
    assertThat(lock.remaining()).isLessThan(TTL);
    assertThat(extension.isPending()).isTrue();
  }

  @Test
  void unansweredExtensionLeavesTheLockAsItWas() {
    v.store.next(StoreOperation.EXTEND, ScriptedStore.swallowed());
    SignalProbe<Void> probe = v.run(lock.extend(TTL));

    v.pass(Duration.ofSeconds(2));

    assertThat(probe.error(LockStoreException.class).reason())
        .isEqualTo(StoreProblem.Reason.UNKNOWN_OUTCOME);
    assertThat(lock.isValid()).isTrue();
  }

  @Test
  void lostLockIsNotExtendedAndTheStoreNotAsked() {
    v.pass(TTL);

    SignalProbe<Void> probe = v.run(lock.extend(TTL));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.EXPIRED);
    assertThat(v.store.count(StoreOperation.EXTEND)).isZero();
  }

  @Test
  void releasedLockIsNotExtended() {
    v.run(lock.release());

    SignalProbe<Void> probe = v.run(lock.extend(TTL));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
    assertThat(v.store.count(StoreOperation.EXTEND)).isZero();
  }

  @Test
  @DisplayName("B38: extending keys that are gone is a loss as taken, and creates nothing")
  void extensionOfMissingKeysIsALoss() {
    v.get(v.locker.forceRelease("a"));

    SignalProbe<Void> probe = v.run(lock.extend(TTL));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.TAKEN);
    assertThat(v.isFree("a")).isTrue();
    assertThat(v.observed.events).contains("lost [a] TAKEN");
  }

  @Test
  void answerCountsThoughTheUsersSchedulerIsBusy() {
    VirtualTimeScheduler users = VirtualTimeScheduler.create();
    VirtualLocker busy = new VirtualLocker(b -> b.publishOn(users));
    SignalProbe<Lock> acquired = busy.run(busy.locker.acquire("b", TTL));
    users.advanceTime();
    Lock lock = acquired.value();

    busy.run(lock.extend(Duration.ofMinutes(1)));

    assertThat(lock.remaining()).isGreaterThan(Duration.ofSeconds(59));
  }

  @Test
  void ttlOutOfRangeIsRefusedAtAssembly() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lock.extend(Duration.ZERO))
        .withMessageContaining("ttl")
        .withMessageContaining("PT0S");
  }

  @Test
  void someOfTheKeysAreExtendedAndTheOthersAreNot() {
    Lock both = v.get(v.locker.acquire(List.of("b", "c"), LockOptions.of(TTL)));
    Duration before = both.remaining();

    SignalProbe<Void> probe = v.run(both.extend(List.of("b"), Duration.ofSeconds(20)));

    assertThat(probe.end).isNotNull();
    assertThat(probe.error).isNull();
    assertThat(v.get(v.locker.inspect("b")).remaining()).contains(Duration.ofSeconds(20));
    assertThat(v.get(v.locker.inspect("c")).remaining()).contains(TTL);
    assertThat(both.remaining()).isEqualTo(before);
  }

  @Test
  void extensionOfAllKeysByNameMovesTheDeadline() {
    SignalProbe<Void> probe = v.run(lock.extend(List.of("a", "a"), Duration.ofSeconds(20)));

    assertThat(probe.error).isNull();
    assertThat(lock.remaining()).isEqualTo(Duration.ofMillis(20_000 - 200 - 2));
  }

  @Test
  void lockIsLostWhenOneOfTheKeysCannotBeExtended() {
    Lock both = v.get(v.locker.acquire(List.of("b", "c"), LockOptions.of(TTL)));
    v.get(v.locker.forceRelease("b"));

    SignalProbe<Void> probe = v.run(both.extend(List.of("b"), TTL));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.TAKEN);
    assertThat(both.isValid()).isFalse();
  }

  @Test
  @DisplayName("G14: only keys of the lock can be extended")
  void keysOfOthersAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lock.extend(List.of("a", "b"), TTL))
        .withMessage("keys to extend must be among those of the lock, [a], was [a, b]");
  }
}
