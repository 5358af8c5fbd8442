// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.StoreOperation.RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Several acquisitions of one locker with one token of the user's. */
class UserTokenTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).token("job-42-0123456789abcde");

  private final VirtualLocker v = new VirtualLocker();

  @Test
  void lateAnswerToACancelledAcquisitionDoesNotFreeWhatTheRetryHolds() {
    HeldBack answer = HeldBack.answer();
    v.store.next(ACQUIRE, answer);
    v.run(v.locker.acquire("a", OPTIONS)).cancel();
    Lock retried = v.get(v.locker.acquire("a", OPTIONS));

    answer.letThrough();
    v.pass(Duration.ofSeconds(1));
    assertThat(retried.isValid()).isTrue();
    assertThat(v.isFree("a")).as("free in the store").isFalse();
    assertThat(v.run(v.another().tryAcquire("a", OPTIONS.token("x".repeat(22)))).values).isEmpty();
  }

  @Test
  void releaseOfALostHandleEndsTheOneThatHoldsTheKeysNow() {
    Lock lost = lostLock(Duration.ZERO);
    Lock present = v.get(v.locker.acquire("a", OPTIONS));
    SignalProbe<Object> kept = v.run(present.keepAlive());

    v.get(lost.release());

    assertThat(v.isFree("a")).isTrue();
    assertThat(present.isValid()).isFalse();
    assertThat(kept.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
    assertThat(v.get(present.release())).isFalse();
  }

  @Test
  void anAcquisitionWaitsForTheReleaseOfALostHandle() {
    Lock lost = lostLock(Duration.ZERO);
    HeldBack release = HeldBack.call();
    v.store.next(RELEASE, release);
    v.run(lost.release());

    SignalProbe<Lock> next = v.run(v.locker.acquire("a", OPTIONS));
    assertThat(next.isPending()).isTrue();
    release.letThrough();

    assertThat(next.value().isValid()).isTrue();
    assertThat(v.isFree("a")).isFalse();
  }

  @Test
  void releaseOfALostHandleKeepsTheKeysForAsLongAsItIsToHoldThem() {
    Lock lost = lostLock(Duration.ofMinutes(2));
    v.get(v.locker.acquire("a", OPTIONS));

    v.get(lost.release());

    assertThat(v.isFree("a")).isFalse();
    v.pass(Duration.ofSeconds(89));
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void nothingIsLeftOfALockerWhoseLostHandlesAreReleased() {
    Lock lost = lostLock(Duration.ZERO);
    Lock present = v.get(v.locker.acquire("a", OPTIONS));
    v.get(lost.release());
    v.get(present.release());
    v.get(lost.release());

    assertThat(v.run(v.locker.close()).isPending()).isFalse();
  }

  private Lock lostLock(Duration holdAtLeast) {
    Lock lock = v.get(v.locker.acquire("a", OPTIONS.holdAtLeast(holdAtLeast)));
    v.pass(Duration.ofSeconds(31));
    assertThat(lock.isValid()).isFalse();
    return lock;
  }
}
