// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;

/** A body that runs as long as a lock is held, and does not release it. */
class WhileHeldTest {

  private static final Duration TTL = Duration.ofSeconds(9);

  /** A lock whose users' threads are busy until the test lets them run. */
  private static final class BusyUsers {
    final Queue<Runnable> signals = new ArrayDeque<>();
    final VirtualLocker v =
        new VirtualLocker(builder -> builder.publishOn(Schedulers.fromExecutor(signals::add)));
    final Lock lock;

    BusyUsers() {
      SignalProbe<Lock> probe = v.run(v.locker.acquire("a", TTL));
      runAll(() -> {});
      lock = probe.value();
    }

    void runAll(Runnable first) {
      first.run();
      while (!signals.isEmpty()) {
        signals.remove().run();
      }
    }
  }

  private final VirtualLocker v = new VirtualLocker();
  private final Lock lock = v.get(v.locker.acquire("a", TTL));
  private final AtomicBoolean cancelled = new AtomicBoolean();
  private final Mono<String> endless = Mono.<String>never().doOnCancel(() -> cancelled.set(true));

  @Test
  void resultIsTheBodysAndTheLockStays() {
    assertThat(v.get(lock.whileHeld(Mono.just("done")))).isEqualTo("done");
    assertThat(lock.isValid()).isTrue();
    assertThat(v.isFree("a")).isFalse();
  }

  @Test
  void lockIsRefreshedAsLongAsTheBodyRunsAndNoLonger() {
    v.run(lock.whileHeld(Mono.delay(Duration.ofMinutes(5), v.time)));

    v.pass(Duration.ofMinutes(5));
    assertThat(lock.isValid()).isTrue();

    v.pass(TTL);
    assertThat(lock.isValid()).isFalse();
  }

  @Test
  @DisplayName("G5: the body is cancelled and the loss signalled when the lock is lost")
  void bodyIsCancelledWhenTheLockIsLost() {
    SignalProbe<String> probe = v.run(lock.whileHeld(endless));

    v.get(v.locker.forceRelease("a"));
    v.pass(TTL);

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.TAKEN);
    assertThat(cancelled).isTrue();
  }

  @Test
  void bodyIsCancelledWhenTheLockIsReleased() {
    SignalProbe<String> probe = v.run(lock.whileHeld(endless));

    v.get(lock.release());

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
    assertThat(cancelled).isTrue();
  }

  @Test
  void bodyThatReleasesTheLockItselfHasLostIt() {
    SignalProbe<Boolean> probe = v.run(lock.whileHeld(lock.release()));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
  }

  @Test
  @DisplayName(
      "G5: an element past the deadline is not passed on, even before the loss is signalled")
  void elementPastTheDeadlineIsNotPassedOn() {
    BusyUsers busy = new BusyUsers();
    busy.v.store.always(StoreOperation.EXTEND, ScriptedStore.swallowed());
    Sinks.Many<String> source = Sinks.many().unicast().onBackpressureBuffer();
    SignalProbe<String> probe = busy.v.run(busy.lock.whileHeldMany(source.asFlux()));
    source.tryEmitNext("in time");

    busy.v.pass(TTL);
    source.tryEmitNext("too late");

    assertThat(probe.values).containsExactly("in time");
    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.UNREACHABLE);
  }

  @Test
  void bodyOfALockThatIsOverIsNotSubscribedEvenBeforeTheLossIsSignalled() {
    AtomicBoolean subscribed = new AtomicBoolean();
    BusyUsers busy = new BusyUsers();
    busy.runAll(() -> busy.lock.release().subscribe());

    SignalProbe<String> probe =
        busy.v.run(busy.lock.whileHeld(endless.doOnSubscribe(any -> subscribed.set(true))));

    assertThat(probe.isPending()).isTrue();
    busy.runAll(() -> {});
    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
    assertThat(subscribed).isFalse();
  }

  @Test
  void cancelledItCancelsTheBodyAndRefreshesNoMore() {
    SignalProbe<String> probe = v.run(lock.whileHeld(endless));

    probe.cancel();
    v.pass(TTL);

    assertThat(cancelled).isTrue();
    assertThat(lock.isValid()).isFalse();
    assertThat(v.observed.count("refreshed")).isZero();
  }

  @Test
  void cancelledWithFinishOnCancelTheBodyEndsUnderTheLock() {
    Lock lock = v.get(v.locker.acquire("b", LockOptions.of(TTL).finishOnCancel(true)));
    List<String> done = new ArrayList<>();
    SignalProbe<Long> probe =
        v.run(
            lock.whileHeld(
                Mono.delay(Duration.ofMinutes(1), v.time).doOnNext(any -> done.add("b"))));

    probe.cancel();
    v.pass(Duration.ofMinutes(1));

    assertThat(done).containsExactly("b");
    assertThat(lock.isValid()).isTrue();
    v.pass(TTL);
    assertThat(lock.isValid()).isFalse();
  }

  @Test
  void severalBodiesShareALock() {
    SignalProbe<String> first = v.run(lock.whileHeld(endless));
    SignalProbe<String> second = v.run(lock.whileHeld(endless));
    first.cancel();

    v.pass(TTL.multipliedBy(3));
    assertThat(second.isPending()).isTrue();

    v.get(lock.release());
    assertThat(second.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
  }

  @Test
  void bodyEndsWithTheLocker() {
    SignalProbe<String> probe = v.run(lock.whileHeld(endless));

    v.run(v.locker.close());

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
    assertThat(cancelled).isTrue();
  }

  @Test
  void manyElementsOfABodyArePassedOn() {
    assertThat(v.run(lock.whileHeldMany(Flux.range(1, 3))).values).containsExactly(1, 2, 3);
  }

  @Test
  void bodyMustNotBeNull() {
    assertThatNullPointerException().isThrownBy(() -> lock.whileHeld(null)).withMessage("body");
  }
}
