// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static io.monolock.reactor.LockOperators.locked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.store.InVirtualTime.SignalProbe;
import io.monolock.test.DroppedSignals;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

@ExtendWith(DroppedSignals.class)
class LockedOperatorTest {

  private static final Duration TTL = Duration.ofSeconds(9);
  private static final LockOptions OPTIONS = LockOptions.of(TTL);

  private final LockerInVirtualTime v = new LockerInVirtualTime();

  private <T> Mono<T> slow(T value) {
    return Mono.delay(Duration.ofSeconds(1), v.time).thenReturn(value);
  }

  @Test
  void monoRunsUnderTheLockAndFreesItBeforeItsValueComes() {
    SignalProbe<Boolean> probe =
        v.run(
            slow("done")
                .transformDeferred(locked(v.locker, "a", OPTIONS))
                .map(value -> v.isFree("a")));

    assertThat(v.isFree("a")).isFalse();
    v.pass(Duration.ofSeconds(1));

    assertThat(probe.value()).isTrue();
  }

  @Test
  void fluxRunsUnderTheLockAndPassesElementsOnAsTheyCome() {
    SignalProbe<Long> probe =
        v.run(
            Flux.interval(Duration.ofSeconds(1), v.time)
                .take(2)
                .transformDeferred(locked(v.locker, List.of("a", "b"), OPTIONS)));

    v.pass(Duration.ofSeconds(1));
    assertThat(probe.values).containsExactly(0L);
    assertThat(v.isFree("b")).isFalse();
    v.pass(Duration.ofSeconds(1));

    assertThat(probe.values).containsExactly(0L, 1L);
    assertThat(probe.end).isNotNull();
    assertThat(v.isFree("b")).isTrue();
  }

  @Test
  void emptyMonoStaysEmpty() {
    SignalProbe<Object> probe = v.run(Mono.empty().transformDeferred(locked(v.locker, "a", TTL)));

    assertThat(probe.error).isNull();
    assertThat(probe.end).isNotNull();
    assertThat(v.store.calls).containsExactly("acquire [a]", "release [a]");
  }

  @Test
  void nothingIsSentBeforeItIsSubscribed() {
    Mono<String> unused = slow("done").transformDeferred(locked(v.locker, List.of("a"), TTL));

    v.pass(Duration.ofSeconds(5));

    assertThat(v.store.calls).isEmpty();
  }

  @Test
  void eachSubscriptionTakesTheLockAnew() {
    Mono<String> work = slow("done").transformDeferred(locked(v.locker, "a", OPTIONS));

    SignalProbe<String> first = v.run(work);
    SignalProbe<String> second = v.run(work);
    v.pass(Duration.ofSeconds(1));
    assertThat(second.values).isEmpty();
    v.pass(Duration.ofSeconds(2));

    assertThat(first.value()).isEqualTo(second.value());
  }

  @Test
  void sourceIsNotSubscribedWhenTheLockIsHeldElsewhere() {
    v.run(v.another().acquire("a", OPTIONS));

    SignalProbe<Object> probe =
        v.run(
            Mono.error(new AssertionError("subscribed"))
                .transformDeferred(
                    locked(v.locker, "a", OPTIONS.waitAtMost(Duration.ofSeconds(1)))));
    v.pass(Duration.ofSeconds(1));

    probe.error(LockNotAcquiredException.class);
  }

  @Test
  void lossOfTheLockCancelsTheSource() {
    SignalProbe<Object> probe =
        v.run(Flux.never().transformDeferred(locked(v.locker, "a", OPTIONS.autoRefresh(false))));

    v.pass(TTL);

    assertThat(probe.error(LockLostException.class).keys()).containsExactly("a");
  }

  @Test
  void cancelFreesTheLock() {
    SignalProbe<Object> probe =
        v.run(Mono.never().transformDeferred(locked(v.locker, "a", OPTIONS)));

    v.cancel(probe);

    assertThat(v.isFree("a")).isTrue();
  }

  @Test
  void badInputFailsAtTheCall() {
    assertThatThrownBy(() -> locked(v.locker, "", OPTIONS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> locked(v.locker, List.of(), OPTIONS))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> locked(v.locker, "a", Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void laterChangesOfTheCollectionOfKeysDoNotCount() {
    java.util.ArrayList<String> keys = new java.util.ArrayList<>(List.of("a"));
    Mono<String> work = Mono.just("done").transformDeferred(locked(v.locker, keys, OPTIONS));

    keys.set(0, "b");
    v.run(work);

    assertThat(v.store.calls).containsExactly("acquire [a]", "release [a]");
  }

  @Test
  void sourceFindsItsLockInItsContext() {
    Mono<Lock> source = CurrentLock.get();

    SignalProbe<Lock> mono = v.run(source.transformDeferred(locked(v.locker, "a", OPTIONS)));
    SignalProbe<Lock> flux = v.run(source.flux().transformDeferred(locked(v.locker, "b", OPTIONS)));

    assertThat(mono.value().keys()).containsExactly("a");
    assertThat(flux.value().keys()).containsExactly("b");
  }
}
