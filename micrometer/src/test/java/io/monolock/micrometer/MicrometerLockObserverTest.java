// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import static io.monolock.micrometer.FaultyStore.answersAfter;
import static io.monolock.micrometer.FaultyStore.fails;
import static java.util.Objects.requireNonNull;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.StoreProblem;
import io.monolock.test.CapturedLog;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;
import reactor.util.retry.Retry;

/** What happens to locks is what the meters show. */
class MicrometerLockObserverTest {

  private static final Duration TTL = Duration.ofSeconds(9);
  private static final LockOptions OPTIONS = LockOptions.of(TTL);

  private final MeteredLocker m = new MeteredLocker();

  private Lock held(ReactiveLocker locker, String key) {
    return requireNonNull(m.get(locker.acquire(key, TTL)));
  }

  private void assertNothingIsOpen() {
    assertThat(m.value("monolock.waiting")).isZero();
    assertThat(m.value("monolock.held")).isZero();
    assertThat(m.observer.size()).isZero();
  }

  @Test
  void lockIsHeldFromItsGrantToItsRelease() {
    Lock lock = held(m.locker, "a");
    assertThat(m.value("monolock.held")).isEqualTo(1);
    m.time.advanceTimeBy(Duration.ofSeconds(4));
    m.run(lock.release());

    Timer hold = m.registry.get("monolock.hold").tags("outcome", "released").timer();
    assertThat(hold.count()).isEqualTo(1);
    assertThat(hold.totalTime(SECONDS)).isEqualTo(4);
    assertThat(m.value("monolock.acquisitions", "outcome", "granted")).isEqualTo(1);
    assertThat(m.registry.get("monolock.wait").tags("granted", "true").timer().count())
        .isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void waiterIsContendedAndTimed() {
    Lock other = held(m.another(), "a");
    m.run(m.locker.withLock("a", TTL, Mono.empty()));
    assertThat(m.value("monolock.waiting")).isEqualTo(1);
    assertThat(m.value("monolock.contended")).isEqualTo(1);
    m.time.advanceTimeBy(Duration.ofSeconds(3));

    m.run(other.release());
    m.time.advanceTimeBy(Duration.ofSeconds(2));

    Timer wait = m.registry.get("monolock.wait").tags("granted", "true").timer();
    assertThat(wait.totalTime(SECONDS)).isBetween(3.0, 5.0);
    assertNothingIsOpen();
  }

  @Test
  void singleAttemptInVainIsRefused() {
    held(m.another(), "a");

    m.run(m.locker.tryAcquire("a", TTL));
    m.run(m.locker.acquire("a", OPTIONS.waitAtMost(Duration.ZERO)));

    assertThat(m.value("monolock.acquisitions", "outcome", "refused")).isEqualTo(2);
    assertThat(m.value("monolock.contended")).isZero();
    assertNothingIsOpen();
  }

  @Test
  void waiterInVainIsTimedOut() {
    Lock other = held(m.another(), "a");
    m.run(other.extend(Duration.ofMinutes(1)));

    m.run(m.locker.acquire("a", OPTIONS.waitAtMost(Duration.ofSeconds(5))));
    m.time.advanceTimeBy(Duration.ofSeconds(5));

    assertThat(m.value("monolock.acquisitions", "outcome", "timed_out")).isEqualTo(1);
    Timer wait = m.registry.get("monolock.wait").tags("granted", "false").timer();
    assertThat(wait.totalTime(SECONDS)).isEqualTo(5);
    assertNothingIsOpen();
  }

  @Test
  void waiterWhoseSubscriberCancelsIsCancelled() {
    held(m.another(), "a");
    Disposable waiter = m.run(m.locker.acquire("a", TTL));

    waiter.dispose();
    m.time.advanceTime();

    assertThat(m.value("monolock.acquisitions", "outcome", "cancelled")).isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void troubleOfTheStoreIsCountedByReason() {
    m.store.onAcquire = fails(StoreProblem.Reason.PERMISSION, false);

    m.run(m.locker.acquire("a", TTL));

    assertThat(m.value("monolock.acquisitions", "outcome", "store_trouble")).isEqualTo(1);
    assertThat(m.value("monolock.store.trouble", "reason", "permission")).isEqualTo(1);
    assertThat(m.value("monolock.store.trouble")).isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void waiterOfALockerThatClosesIsClosed() {
    Lock other = held(m.another(), "a");
    m.run(other.extend(Duration.ofMinutes(1)));
    m.run(m.locker.acquire("a", TTL));

    m.run(m.locker.close());

    assertThat(m.value("monolock.acquisitions", "outcome", "closed")).isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void errorOfTheRetrySpecIsAFailure() {
    held(m.another(), "a");
    Retry spec =
        Retry.from(signals -> signals.concatMap(any -> Mono.error(new IllegalStateException())));

    m.run(m.locker.acquire("a", OPTIONS.retry(spec)));
    m.time.advanceTimeBy(Duration.ofSeconds(1));

    assertThat(m.errors).singleElement().isInstanceOf(IllegalStateException.class);
    assertThat(m.value("monolock.acquisitions", "outcome", "failed")).isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void lossIsCountedByReasonAndEndsTheHold() {
    MockClock clock = new MockClock();
    MeteredLocker m =
        new MeteredLocker(new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock), b -> b);
    m.run(m.locker.withLock("a", TTL, Mono.never()));
    clock.add(Duration.ofSeconds(2));
    m.run(m.locker.forceRelease("a"));

    m.time.advanceTimeBy(TTL.dividedBy(3));

    assertThat(m.value("monolock.lost", "reason", "taken")).isEqualTo(1);
    assertThat(m.value("monolock.lost")).isEqualTo(1);
    Timer hold = m.registry.get("monolock.hold").tags("outcome", "lost").timer();
    assertThat(hold.totalTime(SECONDS)).isEqualTo(2, within(0.001));
    assertThat(m.registry.get("monolock.hold").tags("outcome", "not_ours").timer().count())
        .isZero();
    assertThat(m.value("monolock.held")).isZero();
    assertThat(m.observer.size()).isZero();
  }

  @Test
  void handleThatIsNeverReleasedIsHeldUntilItExpires() {
    held(m.locker, "a");

    m.time.advanceTimeBy(TTL);

    assertThat(m.value("monolock.lost", "reason", "expired")).isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void releaseThatFindsTheKeysGoneIsNotOurs() {
    Lock lock = held(m.locker, "a");
    m.run(m.locker.forceRelease("a"));

    m.run(lock.release());

    assertThat(m.registry.get("monolock.hold").tags("outcome", "not_ours").timer().count())
        .isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void failedRefreshIsCountedByReason() {
    m.store.onExtend = fails(StoreProblem.Reason.SERVER_STATE, true);
    Disposable body = m.run(m.locker.withLock("a", TTL, Mono.never()));

    m.time.advanceTimeBy(TTL.dividedBy(3));
    body.dispose();
    m.time.advanceTime();

    assertThat(m.value("monolock.refresh.failures", "reason", "server_state")).isPositive();
    assertNothingIsOpen();
  }

  @Test
  void grantWhoseCallerHasGoneIsAbandoned() {
    Sinks.Empty<Void> gate = Sinks.empty();
    m.store.onAcquire = answersAfter(gate.asMono());
    Disposable caller = m.run(m.locker.acquire("a", TTL));

    caller.dispose();
    gate.tryEmitEmpty();
    m.time.advanceTime();

    assertThat(m.value("monolock.abandoned")).isEqualTo(1);
    assertThat(m.value("monolock.acquisitions", "outcome", "cancelled")).isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void attachedLockCountsOnlyWhenItIsLost() {
    Lock lock = held(m.another(), "a");
    Lock attached = m.get(m.locker.attach(Set.of("a"), lock.token(), OPTIONS));
    assertThat(attached).isNotNull();
    assertThat(m.value("monolock.held")).isZero();

    m.time.advanceTimeBy(TTL);

    assertThat(m.value("monolock.lost", "reason", "expired")).isEqualTo(1);
    assertNothingIsOpen();
  }

  @Test
  void observersOfSeveralLockersAddUpInOneRegistry() {
    MicrometerLockObserver second;
    try (CapturedLog log = new CapturedLog()) {
      second = MicrometerLockObserver.create(m.registry);
      assertThat(log.lines("WARN")).isEmpty();
    }
    ReactiveLocker locker =
        ReactiveLocker.builder(InMemoryLockStore.create(m.time))
            .timer(m.time)
            .publishOn(m.time)
            .observer(second)
            .build();

    Lock one = held(m.locker, "a");
    Lock other = held(locker, "a");
    assertThat(m.value("monolock.held")).isEqualTo(2);
    assertThat(m.value("monolock.acquisitions")).isEqualTo(2);

    m.run(one.release());
    assertThat(m.value("monolock.held")).isEqualTo(1);
    m.run(other.release());
    assertThat(m.value("monolock.held")).isZero();
  }

  @Test
  void tagsTellLockersOfOneRegistryApart() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    MeteredLocker one = new MeteredLocker(registry, b -> b.tags(Tags.of("locker", "one")));
    new MeteredLocker(registry, b -> b.tags(Tags.of("locker", "two")));

    one.run(one.locker.acquire("a", TTL));

    assertThat(one.value("monolock.held", "locker", "one")).isEqualTo(1);
    assertThat(one.value("monolock.held", "locker", "two")).isZero();
  }

  @Test
  void lockerThatClosesWhileTheStoreIsDeadLeavesNothing() {
    held(m.locker, "a");
    m.store.onRelease = FaultyStore.swallowed();

    m.run(m.locker.close());
    m.time.advanceTimeBy(Duration.ofSeconds(10));

    assertNothingIsOpen();
  }

  @Test
  void eventsOutOfOrderChangeNoGauge() {
    Set<String> keys = Set.of("a");
    MicrometerLockObserver observer = m.observer;

    observer.waiting(1, keys);
    observer.asked(2, keys, Context.empty());
    observer.acquired(2, keys, Duration.ZERO, 1);
    observer.waiting(2, keys);
    observer.released(2, keys, Duration.ZERO, true);
    observer.lost(2, keys, LockLostException.Reason.EXPIRED);
    observer.released(2, keys, Duration.ZERO, true);

    assertThat(m.registry.get("monolock.hold").timers().stream().mapToLong(Timer::count).sum())
        .isEqualTo(1);
    assertNothingIsOpen();
  }
}
