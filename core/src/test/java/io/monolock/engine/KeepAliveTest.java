// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.fails;
import static io.monolock.engine.ScriptedStore.swallowed;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import io.monolock.test.CapturedLog;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;

class KeepAliveTest {

  private static final Duration TTL = Duration.ofSeconds(9);
  private static final Duration PERIOD = TTL.dividedBy(3);
  private static final ScriptedStore.CallOutcome TROUBLE =
      fails(StoreProblem.Reason.UNAVAILABLE, true);

  private final VirtualLocker v = new VirtualLocker();

  @AfterEach
  void resetHooks() {
    Hooks.resetOnErrorDropped();
  }

  private Lock lock() {
    return lock(LockOptions.of(TTL));
  }

  private Lock lock(LockOptions options) {
    return v.get(v.locker.acquire("a", options));
  }

  @Test
  void lockIsRefreshedAtAboutAThirdOfItsTtl() {
    v.run(lock().keepAlive());

    v.pass(PERIOD.multipliedBy(84).dividedBy(100));
    assertThat(v.store.count(StoreOperation.EXTEND)).isZero();
    v.pass(PERIOD.multipliedBy(16).dividedBy(100));
    assertThat(v.store.count(StoreOperation.EXTEND)).isEqualTo(1);
  }

  @Test
  @DisplayName("B11: locks that were taken together are not refreshed together")
  void locksTakenTogetherAreNotRefreshedTogether() {
    int count = 300;
    for (int i = 0; i < count; i++) {
      v.run(v.get(v.locker.acquire("key" + i, LockOptions.of(TTL))).keepAlive());
    }
    v.pass(PERIOD.multipliedBy(85).dividedBy(100));

    long before = 0;
    for (int tenth = 0; tenth < 10; tenth++) {
      v.pass(PERIOD.multipliedBy(15).dividedBy(1_000));
      long sent = v.store.count(StoreOperation.EXTEND);
      assertThat(sent - before).isLessThan(count / 3);
      before = sent;
    }
    assertThat(before).isEqualTo(count);
  }

  @Test
  void lockLivesAsLongAsItIsKeptAlive() {
    Lock lock = lock();
    v.run(lock.keepAlive());

    v.pass(Duration.ofHours(1));

    assertThat(lock.isValid()).isTrue();
    assertThat(v.get(lock.ttl())).isGreaterThanOrEqualTo(TTL.minus(PERIOD));
  }

  @Test
  @DisplayName("I5: no refresh is sent after cancel")
  void cancelStopsTheRefresh() {
    SignalProbe<Object> probe = v.run(lock().keepAlive());
    v.pass(PERIOD);
    probe.cancel();
    long sent = v.store.count(StoreOperation.EXTEND);

    v.pass(Duration.ofMinutes(1));

    assertThat(v.store.count(StoreOperation.EXTEND)).isEqualTo(sent);
  }

  @Test
  void severalSubscribersShareOneRefresh() {
    Lock lock = lock();
    v.run(lock.keepAlive());
    v.run(lock.keepAlive());
    v.run(lock.keepAlive());

    v.pass(PERIOD);

    assertThat(v.store.count(StoreOperation.EXTEND)).isEqualTo(1);
  }

  @Test
  void refreshGoesOnWhileOneOfSeveralIsSubscribed() {
    Lock lock = lock();
    SignalProbe<Object> one = v.run(lock.keepAlive());
    v.run(lock.keepAlive());

    one.cancel();
    v.pass(TTL.multipliedBy(2));

    assertThat(lock.isValid()).isTrue();
  }

  @Test
  void subscribingAgainRefreshesAgain() {
    Lock lock = lock();
    v.run(lock.keepAlive()).cancel();
    v.pass(PERIOD.multipliedBy(2));
    assertThat(v.store.count(StoreOperation.EXTEND)).isZero();

    v.run(lock.keepAlive());
    v.pass(TTL);

    assertThat(lock.isValid()).isTrue();
  }

  @Test
  void lockExtendedByItsUserIsRefreshedAfterThat() {
    Lock lock = lock();
    v.run(lock.keepAlive());
    v.run(lock.extend(Duration.ofMinutes(1)));

    v.pass(Duration.ofMinutes(5));

    assertThat(lock.isValid()).isTrue();
  }

  @Test
  @DisplayName("B06 B07 B18: a transient failure is retried before the deadline")
  void transientFailureIsRetried() {
    Lock lock = lock();
    v.store.next(StoreOperation.EXTEND, TROUBLE, TROUBLE, TROUBLE);
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.pass(TTL.multipliedBy(3));

    assertThat(probe.isPending()).isTrue();
    assertThat(lock.isValid()).isTrue();
    assertThat(v.observed.count("refreshFailed")).isEqualTo(3);
  }

  @Test
  @DisplayName("B06: a store that is back shortly before the deadline is found in time")
  void storeThatIsBackBeforeTheDeadlineIsFound() {
    Lock lock = lock();
    v.store.always(StoreOperation.EXTEND, TROUBLE);
    v.run(lock.keepAlive());
    v.pass(lock.remaining().minus(TTL.dividedBy(20)));

    v.store.heal(StoreOperation.EXTEND);
    v.pass(TTL);

    assertThat(lock.isValid()).isTrue();
  }

  @Test
  @DisplayName("B10: a silent store is a loss at the deadline, reported once")
  void silentStoreIsALossAtTheDeadline() {
    Lock lock = lock();
    v.store.always(StoreOperation.EXTEND, swallowed());
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.pass(lock.remaining().minusNanos(1));
    assertThat(probe.isPending()).isTrue();
    v.pass(Duration.ofNanos(1));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.UNREACHABLE);
    assertThat(v.observed.count("lost [a] UNREACHABLE")).isEqualTo(1);
  }

  @Test
  void aStoreThatRefusesToRefreshIsALossOfItsOwnReasonAndSaysWhy() {
    Lock lock = lock();
    v.store.always(StoreOperation.EXTEND, fails(StoreProblem.Reason.PERMISSION, false));
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.pass(lock.remaining().minusNanos(1));
    assertThat(probe.isPending()).isTrue();
    v.pass(Duration.ofNanos(1));

    assertRefused(probe.error(LockLostException.class));
    assertRefused(v.run(lock.keepAlive()).error(LockLostException.class));
    assertRefused(v.run(lock.extend(TTL)).error(LockLostException.class));
  }

  private static void assertRefused(LockLostException loss) {
    assertThat(loss.reason()).isEqualTo(Reason.REFUSED);
    assertThat(loss)
        .cause()
        .isInstanceOfSatisfying(
            LockStoreException.class,
            e -> assertThat(e.reason()).isEqualTo(StoreProblem.Reason.PERMISSION));
  }

  @Test
  void aRefusalThatPassesIsNoLoss() {
    Lock lock = lock();
    v.store.next(StoreOperation.EXTEND, fails(StoreProblem.Reason.PERMISSION, false));
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.pass(TTL.multipliedBy(3));

    assertThat(probe.isPending()).isTrue();
    assertThat(lock.isValid()).isTrue();
  }

  @Test
  void refreshUnderWayAtTheDeadlineMakesItUnreachable() {
    Lock lock = lock();
    v.store.always(StoreOperation.EXTEND, swallowed());
    v.pass(lock.remaining().minusMillis(1));

    SignalProbe<Object> probe = v.run(lock.keepAlive());
    v.pass(Duration.ofMillis(1));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  @DisplayName("B18: keys that are gone are a loss at the next refresh")
  void missingKeysAreALossAtTheNextRefresh() {
    SignalProbe<Object> probe = v.run(lock().keepAlive());
    v.get(v.locker.forceRelease("a"));

    v.pass(PERIOD);

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.TAKEN);
  }

  @Test
  @DisplayName("B18: a foreign holder is a loss at the next refresh, and keeps the keys")
  void foreignHolderIsALossAtTheNextRefresh() {
    SignalProbe<Object> probe = v.run(lock().keepAlive());
    v.get(v.locker.forceRelease("a"));
    Lock others = v.get(v.another().acquire("a", Duration.ofMinutes(1)));

    v.pass(PERIOD);

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.TAKEN);
    assertThat(v.get(others.ttl())).isEqualTo(Duration.ofMinutes(1).minus(PERIOD));
  }

  @Test
  void noRefreshIsSentOnceTheLockIsLost() {
    v.run(lock().keepAlive());
    v.get(v.locker.forceRelease("a"));
    v.pass(PERIOD);
    long sent = v.store.count(StoreOperation.EXTEND);

    v.pass(Duration.ofMinutes(1));

    assertThat(v.store.count(StoreOperation.EXTEND)).isEqualTo(sent);
  }

  @Test
  @DisplayName("B08: no refresh carries the deadline past maxHold")
  void maxHoldEndsTheLock() {
    Duration limit = Duration.ofMinutes(1);
    Lock lock = lock(LockOptions.of(TTL).maxHold(limit));
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.pass(limit.minusMillis(3).minus(TTL.dividedBy(100)));
    assertThat(probe.isPending()).isTrue();
    v.pass(TTL.dividedBy(100).plusMillis(3));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.MAX_HOLD);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void withoutAutoRefreshTheLockExpires() {
    Lock lock = lock(LockOptions.of(TTL).autoRefresh(false));
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.pass(TTL);

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.EXPIRED);
    assertThat(v.store.count(StoreOperation.EXTEND)).isZero();
  }

  @Test
  void releaseIsSignalledToSubscribersOfKeepAlive() {
    Lock lock = lock();
    SignalProbe<Object> probe = v.run(lock.keepAlive());

    v.run(lock.release());

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
    assertThat(v.observed.count("lost")).isZero();
  }

  @Test
  void keepingALostLockAliveFailsAtOnce() {
    Lock lock = lock();
    v.pass(TTL);

    SignalProbe<Object> probe = v.run(lock.keepAlive());

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.EXPIRED);
  }

  @Test
  @DisplayName("B20: at most one refresh is under way, however slow the store is")
  void atMostOneRefreshIsUnderWay() {
    Lock lock = lock();
    HeldBack slow = HeldBack.answer();
    v.store.next(StoreOperation.EXTEND, slow);
    v.run(lock.keepAlive());

    v.pass(PERIOD.plusSeconds(1));
    assertThat(v.store.count(StoreOperation.EXTEND)).isEqualTo(1);
    slow.letThrough();
    v.pass(TTL);

    assertThat(lock.isValid()).isTrue();
  }

  @Test
  @DisplayName("B20: subscribing again while a refresh is under way sends no second one")
  void subscribingAgainSendsNoSecondRefresh() {
    Lock lock = lock();
    v.store.always(StoreOperation.EXTEND, HeldBack.answer());
    SignalProbe<Object> first = v.run(lock.keepAlive());
    v.pass(PERIOD);

    first.cancel();
    v.run(lock.keepAlive());

    assertThat(v.store.count(StoreOperation.EXTEND)).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "B13: after a pause longer than the lease the loss is signalled and nothing is refreshed")
  void pauseLongerThanTheLeaseIsALoss() {
    VirtualLocker paused = new VirtualLocker();
    Lock lock = paused.get(paused.locker.acquire("a", TTL));
    SignalProbe<Object> probe = paused.run(lock.keepAlive());
    paused.store.always(StoreOperation.EXTEND, swallowed());

    paused.pass(TTL.multipliedBy(2));

    assertThat(lock.isValid()).isFalse();
    assertThat(probe.error(LockLostException.class)).isNotNull();
  }

  @Test
  @DisplayName("B01 B19: no refresh is sent once release has begun, even if one was under way")
  void noRefreshOnceReleaseHasBegun() {
    Lock lock = lock();
    HeldBack slow = HeldBack.call();
    v.store.next(StoreOperation.EXTEND, slow);
    v.run(lock.keepAlive());
    v.pass(PERIOD);

    v.run(lock.release());
    slow.letThrough();
    v.pass(Duration.ofMinutes(1));

    assertThat(v.store.count(StoreOperation.EXTEND)).isEqualTo(1);
    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B01: a refresh that has just been decided on does not follow the release")
  void refreshDoesNotFollowTheRelease() {
    Duration minimum = Duration.ofSeconds(5);
    Lock lock = lock(LockOptions.of(TTL).holdAtLeast(minimum));
    v.store.next(StoreOperation.EXTEND, afterReleaseOf(lock));
    v.run(lock.keepAlive());

    v.pass(minimum.minusMillis(1));
    assertThat(lock.isValid()).isFalse();
    assertThat(v.isFree("a")).isFalse();
    v.pass(Duration.ofMillis(2)); // what is left of it is rounded up
    assertThat(v.isFree("a")).isTrue();
  }

  /** The release begins when the refresh is about to be sent. */
  private static ScriptedStore.CallOutcome afterReleaseOf(Lock lock) {
    return new ScriptedStore.CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        lock.release().subscribe();
        return call;
      }
    };
  }

  @Test
  @DisplayName("B19: a slow refresh does not lengthen what holdAtLeast leaves behind")
  void slowRefreshDoesNotLengthenHoldAtLeast() {
    Duration minimum = Duration.ofSeconds(5);
    Lock lock = lock(LockOptions.of(TTL).holdAtLeast(minimum));
    HeldBack slow = HeldBack.call();
    v.store.next(StoreOperation.EXTEND, slow);
    v.run(lock.keepAlive());
    v.pass(PERIOD);

    v.run(lock.release());
    slow.letThrough();
    v.pass(minimum.minus(PERIOD).plusMillis(1));

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B19: a release that keeps nothing does not wait for a refresh")
  void releaseThatKeepsNothingDoesNotWaitForARefresh() {
    Lock lock = lock(LockOptions.of(TTL).holdAtLeast(Duration.ofMillis(1)));
    v.store.next(StoreOperation.EXTEND, swallowed());
    v.run(lock.keepAlive());
    v.pass(PERIOD);

    v.run(lock.release());

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B19: a refresh without an answer holds the release up for a command's time only")
  void refreshWithoutAnAnswerDoesNotKeepTheLock() {
    Lock lock = lock(LockOptions.of(TTL).holdAtLeast(PERIOD.plusMillis(1_500)));
    v.store.next(StoreOperation.EXTEND, swallowed());
    v.run(lock.keepAlive());
    v.pass(PERIOD);

    v.run(lock.release());
    assertThat(v.isFree("a")).isFalse();
    v.pass(Duration.ofSeconds(2));

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  @DisplayName("B16 B17: a loss without subscribers reaches no hook for dropped errors")
  void lossWithoutSubscribersIsNotDropped() {
    List<Throwable> dropped = new CopyOnWriteArrayList<>();
    Hooks.onErrorDropped(dropped::add);
    Lock lock = lock();
    SignalProbe<Object> probe = v.run(lock.keepAlive());
    v.pass(PERIOD);
    probe.cancel();
    lock.release().subscribe();

    v.pass(Duration.ofMinutes(1));

    assertThat(dropped).isEmpty();
  }

  @Test
  @DisplayName("B08: a handle that was dropped is warned of once, and forgotten")
  void droppedHandleIsWarnedOfOnce() {
    try (CapturedLog log = new CapturedLog()) {
      lock();
      v.pass(TTL.multipliedBy(3));

      assertThat(log.lines("WARN")).singleElement().asString().contains("[a]");
    }
    assertThat(v.run(v.locker.close()).error).isNull();
    assertThat(v.store.count(StoreOperation.RELEASE)).isZero();
  }

  @Test
  void handleThatWasUsedIsNotWarnedOf() {
    try (CapturedLog log = new CapturedLog()) {
      v.run(lock().keepAlive()).cancel();
      v.pass(TTL);

      assertThat(log.lines("WARN")).isEmpty();
    }
  }

  @Test
  void nothingIsScheduledOnceTheLockIsReleased() {
    Lock lock = lock();
    v.run(lock.keepAlive());
    v.pass(PERIOD);
    v.run(lock.release());

    v.pass(Duration.ofMinutes(2));

    assertThat(v.isIdle()).isTrue();
  }
}
