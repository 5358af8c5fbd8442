// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import io.monolock.test.DroppedSignals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

@ExtendWith(DroppedSignals.class)
class OncePerTest {

  private static final Duration PERIOD = Duration.ofMinutes(1);
  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(9));

  private final LockerInVirtualTime v = new LockerInVirtualTime();
  private final Leadership nightly = on(v.locker);

  private Leadership on(ReactiveLocker locker) {
    return Leadership.of(locker, "nightly", OPTIONS);
  }

  /** Three instances tick once a period, each by its own clock and a little late each time. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5_000, 20_000})
  void jobRunsOncePerPeriodAcrossInstancesWithSkewedClocks(int skewMillis) {
    int periods = 200;
    Random random = new Random(7);
    List<Long> runs = new ArrayList<>();
    Mono<Long> job =
        Mono.fromSupplier(() -> v.time.now(java.util.concurrent.TimeUnit.MILLISECONDS))
            .doOnNext(runs::add)
            .delayElement(Duration.ofSeconds(2), v.time);
    for (int instance = 0; instance < 3; instance++) {
      Leadership own = on(v.another());
      int skew = random.nextInt(skewMillis + 1);
      for (int period = 0; period < periods; period++) {
        long at = period * PERIOD.toMillis() + skew + random.nextInt(skewMillis / 4 + 1);
        Mono.delay(Duration.ofMillis(at), v.time)
            .then(own.oncePer(PERIOD, job))
            .subscribe(any -> {}, Throwable::printStackTrace);
      }
    }

    v.pass(PERIOD.multipliedBy(periods));

    assertThat(runs).hasSize(periods);
    assertThat(runs.stream().map(at -> at / PERIOD.toMillis())).doesNotHaveDuplicates();
  }

  @Test
  void instanceThatIsNotToRunTheJobGetsNothing() {
    SignalProbe<String> first = v.run(nightly.oncePer(PERIOD, Mono.just("done")));
    SignalProbe<String> second =
        v.run(on(v.another()).oncePer(PERIOD, Mono.error(new AssertionError("ran"))));

    assertThat(first.value()).isEqualTo("done");
    assertThat(second.values).isEmpty();
    assertThat(second.error).isNull();
  }

  @Test
  void lockIsLeftBehindForHalfOfThePeriod() {
    v.run(nightly.oncePer(PERIOD, Mono.just("done")));

    v.pass(Duration.ofMillis(29_999));
    assertThat(v.isFree("nightly")).isFalse();
    v.pass(Duration.ofMillis(1));

    assertThat(v.isFree("nightly")).isTrue();
  }

  @Test
  void holdAtLeastOfTheOptionsIsKept() {
    Leadership own =
        Leadership.of(v.locker, "nightly", OPTIONS.holdAtLeast(Duration.ofSeconds(50)));
    v.run(own.oncePer(PERIOD, Mono.just("done")));

    v.pass(Duration.ofSeconds(49));
    assertThat(v.isFree("nightly")).isFalse();
    v.pass(Duration.ofSeconds(1));

    assertThat(v.isFree("nightly")).isTrue();
  }

  @Test
  void jobThatRunsLongKeepsTheLock() {
    v.run(nightly.oncePer(PERIOD, Mono.delay(PERIOD.multipliedBy(3), v.time)));

    v.pass(PERIOD.multipliedBy(2));
    assertThat(v.isFree("nightly")).isFalse();
    v.pass(PERIOD);

    assertThat(v.isFree("nightly")).isTrue();
  }

  @Test
  void jobThatFailedIsNotRunAgainInItsPeriod() {
    Exception own = new Exception("own");

    assertThat(v.run(nightly.oncePer(PERIOD, Mono.error(own))).error).isSameAs(own);
    assertThat(v.run(nightly.oncePer(PERIOD, Mono.just("again"))).values).isEmpty();
  }

  @Test
  void busyLockInsideOfTheJobIsItsOwnError() {
    v.run(v.another().acquire("other", OPTIONS));
    Mono<String> job =
        v.locker.withLock(
            "other", OPTIONS.waitAtMost(Duration.ZERO), lock -> Mono.just("unreachable"));

    v.run(nightly.oncePer(PERIOD, job)).error(LockNotAcquiredException.class);
  }

  @Test
  void troubleOfTheStoreFailsAtOnce() {
    v.store.trouble = new StoreFailure(StoreProblem.Reason.UNAVAILABLE, true, "away", null);

    v.run(nightly.oncePer(PERIOD, Mono.just("unreachable"))).error(LockStoreException.class);
  }

  @Test
  void cancelCancelsTheJobWhichIsNotRunAgainInItsPeriod() {
    List<String> events = new ArrayList<>();
    SignalProbe<Object> probe =
        v.run(nightly.oncePer(PERIOD, Mono.never().doOnCancel(() -> events.add("cancelled"))));

    v.cancel(probe);

    assertThat(events).containsExactly("cancelled");
    assertThat(v.isFree("nightly")).isFalse();
  }

  @Test
  void jobFindsItsLockInItsContext() {
    SignalProbe<Lock> probe = v.run(nightly.oncePer(PERIOD, CurrentLock.require("nightly")));

    assertThat(probe.value().keys()).containsExactly("nightly");
  }

  @Test
  void badInputFailsAtTheCall() {
    assertThatThrownBy(() -> nightly.oncePer(Duration.ZERO, Mono.empty()))
        .hasMessage("period must be between 20 ms and 365 days, was PT0S");
    Leadership long1 = Leadership.of(v.locker, "a", OPTIONS.holdAtLeast(PERIOD));
    assertThatThrownBy(() -> long1.oncePer(PERIOD, Mono.empty()))
        .hasMessage("holdAtLeast must be shorter than the period of PT1M, was PT1M");
  }
}
