// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.answerLost;
import static io.monolock.engine.ScriptedStore.fails;
import static io.monolock.engine.ScriptedStore.swallowed;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.util.retry.Retry;

class ReleaseTest {

  private static final Duration TTL = Duration.ofSeconds(10);
  private static final ScriptedStore.CallOutcome TROUBLE =
      fails(StoreProblem.Reason.UNAVAILABLE, true);

  private final VirtualLocker v = new VirtualLocker();
  private final Lock lock = v.get(v.locker.acquire("a", TTL));

  @Test
  void releaseOfAHeldLockFreesTheKeys() {
    assertThat(v.get(lock.release())).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B58: releasing an expired lock is false and no error")
  void releaseOfAnExpiredLockIsFalse() {
    v.pass(TTL);

    assertThat(v.get(lock.release())).isFalse();
  }

  @Test
  @DisplayName("B39: a release never touches the lock of the next holder")
  void releaseNeverTouchesAnothersLock() {
    v.pass(TTL);
    Lock others = v.get(v.another().acquire("a", TTL));

    v.get(lock.release());

    assertThat(v.get(others.ttl())).isEqualTo(TTL);
  }

  @Test
  void repeatGivesTheFirstOutcome() {
    v.get(lock.release());

    assertThat(v.get(lock.release())).isTrue();
    assertThat(v.store.count(StoreOperation.RELEASE)).isEqualTo(1);
  }

  @Test
  void twoReleasesAtOnceAreOne() {
    HeldBack held = HeldBack.answer();
    v.store.next(StoreOperation.RELEASE, held);
    SignalProbe<Boolean> one = v.run(lock.release());
    SignalProbe<Boolean> other = v.run(lock.release());

    held.letThrough();
    v.time.advanceTime();

    assertThat(one.value()).isTrue();
    assertThat(other.value()).isTrue();
    assertThat(v.store.count(StoreOperation.RELEASE)).isEqualTo(1);
  }

  @Test
  @DisplayName("B28: cancelling the release does not stop it")
  void cancellingDoesNotStopTheRelease() {
    HeldBack held = HeldBack.call();
    v.store.next(StoreOperation.RELEASE, held);

    v.run(lock.release()).cancel();
    held.letThrough();
    v.time.advanceTime();

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B02: transient trouble is retried")
  void transientTroubleIsRetried() {
    v.store.next(StoreOperation.RELEASE, TROUBLE, TROUBLE, TROUBLE);

    SignalProbe<Boolean> probe = v.run(lock.release());
    v.pass(Duration.ofSeconds(1));

    assertThat(probe.value()).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void isTrueWhenAnotherReleaseOfTheLeaseFreedTheKeysMeanwhile() {
    Duration ttl = Duration.ofSeconds(9);
    v.store.next(StoreOperation.ACQUIRE, swallowed()); // counts as in doubt for 2 s and a ttl
    Retry soon = Retry.fixedDelay(5, Duration.ofMillis(1));
    SignalProbe<Lock> acquired = v.run(v.locker.acquire("b", LockOptions.of(ttl).retry(soon)));
    v.pass(Duration.ofMillis(2_010));
    Lock late = acquired.value();
    v.pass(Duration.ofMillis(8_500));
    v.store.next(StoreOperation.EXTEND, HeldBack.answer());
    v.run(late.extend(ttl));
    HeldBack cleaningUp = HeldBack.call();
    HeldBack releasing = HeldBack.call();
    v.store.next(StoreOperation.RELEASE, cleaningUp, releasing);
    v.pass(Duration.ofMillis(600));
    assertThat(v.store.count(StoreOperation.RELEASE)).as("cleaning up").isEqualTo(1);
    SignalProbe<Boolean> released = v.run(late.release());

    cleaningUp.letThrough();
    releasing.letThrough();
    v.time.advanceTime();

    assertThat(late.isValid()).isFalse();
    assertThat(v.store.count(StoreOperation.RELEASE)).isEqualTo(2);
    assertThat(released.value()).isTrue();
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  @DisplayName("B98: not ours after an answer was lost means that the lost one had freed the keys")
  void answeredTwiceIsTrue() {
    v.store.next(StoreOperation.RELEASE, answerLost());

    SignalProbe<Boolean> probe = v.run(lock.release());
    v.pass(Duration.ofSeconds(1));

    assertThat(probe.value()).isTrue();
  }

  @Test
  @DisplayName("B28: a release that failed can be joined later, with its token kept until answered")
  void laterReleaseJoinsTheOneInTheBackground() {
    v.store.always(StoreOperation.RELEASE, swallowed());
    SignalProbe<Boolean> first = v.run(lock.release());
    v.pass(Duration.ofSeconds(2));
    assertThat(first.error(LockStoreException.class).reason())
        .isEqualTo(StoreProblem.Reason.UNKNOWN_OUTCOME);

    v.store.heal(StoreOperation.RELEASE);
    SignalProbe<Boolean> second = v.run(lock.release());
    v.pass(Duration.ofSeconds(3));

    assertThat(second.value()).isTrue();
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void missingPermissionEndsTheReleaseAtOnce() {
    v.store.next(StoreOperation.RELEASE, fails(StoreProblem.Reason.PERMISSION, false));

    SignalProbe<Boolean> probe = v.run(lock.release());

    assertThat(probe.error(LockStoreException.class).reason())
        .isEqualTo(StoreProblem.Reason.PERMISSION);
  }

  @Test
  void releaseGivesUpWhenTheTtlIsOver() {
    v.store.always(StoreOperation.RELEASE, TROUBLE);
    v.run(lock.release());

    v.pass(TTL);
    assertThat(v.observed.events).contains("released [a] wasOurs=false");
    long sent = v.store.count(StoreOperation.RELEASE);
    v.pass(Duration.ofMinutes(1));
    assertThat(v.store.count(StoreOperation.RELEASE)).isEqualTo(sent);
  }

  @Test
  void releaseOfAnExtendedLockIsRetriedUntilTheLongerTtlIsOver() {
    v.run(lock.extend(Duration.ofHours(1)));
    v.store.always(StoreOperation.RELEASE, TROUBLE);
    v.run(lock.release());

    v.pass(Duration.ofMinutes(59).plusSeconds(50));
    v.store.heal(StoreOperation.RELEASE);
    v.pass(Duration.ofSeconds(2));

    assertThat(v.observed.events).contains("released [a] wasOurs=true");
  }

  @Test
  @DisplayName("B40: holdAtLeast keeps the keys longer than the ttl")
  void holdAtLeastLengthens() {
    Lock lock = held(Duration.ofSeconds(1), Duration.ofSeconds(5));

    assertThat(v.get(lock.release())).isTrue();

    v.pass(Duration.ofMillis(4_999));
    assertThat(v.isFree("b")).isFalse();
    v.pass(Duration.ofMillis(1));
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  @DisplayName("B40: holdAtLeast frees the keys before the ttl is over")
  void holdAtLeastShortens() {
    Lock lock = held(Duration.ofMinutes(1), Duration.ofSeconds(5));
    v.pass(Duration.ofSeconds(3));

    v.get(lock.release());

    v.pass(Duration.ofMillis(1_999));
    assertThat(v.isFree("b")).isFalse();
    v.pass(Duration.ofMillis(1));
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  void holdAtLeastThatIsOverFreesTheKeysAtOnce() {
    Lock lock = held(Duration.ofMinutes(1), Duration.ofSeconds(5));
    v.pass(Duration.ofSeconds(5));

    v.get(lock.release());

    assertThat(v.isFree("b")).isTrue();
  }

  private Lock held(Duration ttl, Duration atLeast) {
    return v.get(v.locker.acquire("b", LockOptions.of(ttl).holdAtLeast(atLeast)));
  }
}
