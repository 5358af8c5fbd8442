// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

class DeadlineTest {

  private static final Duration TTL = Duration.ofSeconds(10);
  private static final Duration TRUSTED = Duration.ofMillis(10_000 - 100 - 2);

  private final VirtualLocker v = new VirtualLocker();

  @Test
  @DisplayName("G1: a fresh lock is trusted for its ttl less 1 % and 2 ms")
  void freshLockIsTrustedForItsTtlLessDrift() {
    Lock lock = v.get(v.locker.acquire("a", TTL));

    assertThat(lock.remaining()).isEqualTo(TRUSTED);
  }

  @Test
  @DisplayName("B56: the deadline counts from just before the command was sent")
  void deadlineCountsFromBeforeTheCommand() {
    ScriptedStore.HeldBack held = ScriptedStore.HeldBack.answer();
    v.store.next(StoreOperation.ACQUIRE, held);
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", TTL));

    v.pass(Duration.ofSeconds(1));
    held.letThrough();
    v.time.advanceTime();

    assertThat(probe.value().remaining()).isEqualTo(TRUSTED.minusSeconds(1));
  }

  @Test
  void lockIsValidUntilTheNanosecondOfItsDeadline() {
    Lock lock = v.get(v.locker.acquire("a", TTL));

    v.pass(TRUSTED.minusNanos(1));
    assertThat(lock.isValid()).isTrue();
    assertThat(lock.remaining()).isEqualTo(Duration.ofNanos(1));

    v.pass(Duration.ofNanos(1));
    assertThat(lock.isValid()).isFalse();
    assertThat(lock.remaining()).isZero();
  }

  @Test
  @DisplayName("B22: validity needs no timer, only the clock")
  void validityNeedsNoTimer() {
    FrozenTimer timer = new FrozenTimer();
    ReactiveLocker locker =
        ReactiveLocker.builder(InMemoryLockStore.create(timer))
            .timer(timer)
            .publishOn(Schedulers.immediate())
            .build();
    Lock lock = locker.acquire("a", TTL).block();

    timer.now += TRUSTED.toNanos();

    assertThat(lock.isValid()).isFalse();
    assertThat(lock.remaining()).isZero();
  }

  @Test
  void nothingRemainsFromTheMomentReleaseIsSubscribed() {
    v.store.always(StoreOperation.RELEASE, ScriptedStore.swallowed());
    Lock lock = v.get(v.locker.acquire("a", TTL));

    var release = lock.release();
    assertThat(lock.isValid()).isTrue();
    v.run(release);

    assertThat(lock.isValid()).isFalse();
    assertThat(lock.remaining()).isZero();
  }

  @Test
  void nothingRemainsOnceTheLockIsLost() {
    Lock lock = v.get(v.locker.acquire("a", TTL));
    v.get(v.locker.forceRelease("a"));

    v.run(lock.extend(TTL));

    assertThat(lock.isValid()).isFalse();
    assertThat(lock.remaining()).isZero();
  }

  @Test
  void ttlOfALostLockIsZeroAndNotAskedFor() {
    Lock lock = v.get(v.locker.acquire("a", TTL));
    v.pass(TTL);

    assertThat(v.get(lock.ttl())).isZero();
    assertThat(v.store.count(StoreOperation.REMAINING)).isZero();
  }

  @Test
  void ttlIsWhatTheStoreSays() {
    Lock lock = v.get(v.locker.acquire("a", TTL));
    v.pass(Duration.ofSeconds(3));

    assertThat(v.get(lock.ttl())).isEqualTo(Duration.ofSeconds(7));
  }

  @Test
  void ttlOfASilentStoreIsATimeout() {
    Lock lock = v.get(v.locker.acquire("a", TTL));
    v.store.next(StoreOperation.REMAINING, ScriptedStore.swallowed());

    SignalProbe<Duration> probe = v.run(lock.ttl());
    v.pass(Duration.ofSeconds(2));

    assertThat(probe.error(LockStoreException.class).reason())
        .isEqualTo(StoreProblem.Reason.TIMEOUT);
  }

  /** A timer that shows the time but never runs anything. */
  private static final class FrozenTimer implements Scheduler {
    private long now;

    @Override
    public Disposable schedule(Runnable task) {
      return Disposables.single();
    }

    @Override
    public long now(TimeUnit unit) {
      return unit.convert(now, TimeUnit.NANOSECONDS);
    }

    @Override
    public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
      return schedule(task);
    }

    @Override
    public Worker createWorker() {
      return new Worker() {
        @Override
        public Disposable schedule(Runnable task) {
          return FrozenTimer.this.schedule(task);
        }

        @Override
        public Disposable schedulePeriodically(
            Runnable task, long initialDelay, long period, TimeUnit unit) {
          return FrozenTimer.this.schedule(task);
        }

        @Override
        public void dispose() {}
      };
    }
  }
}
