// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static io.monolock.reactor.LockOperators.locked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockOptions;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class CurrentLockTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(9));

  private final LockerInVirtualTime v = new LockerInVirtualTime();

  private <T> Mono<T> under(String key, Mono<T> work) {
    return work.transformDeferred(locked(v.locker, key, OPTIONS));
  }

  @Test
  void thereIsNoneOutsideOfAScope() {
    SignalProbe<Lock> probe = v.run(CurrentLock.get());

    assertThat(probe.values).isEmpty();
    assertThat(probe.error).isNull();
  }

  @Test
  void thereIsNoneDownstreamOfTheScope() {
    SignalProbe<Lock> probe = v.run(under("a", Mono.just("done")).then(CurrentLock.get()));

    assertThat(probe.values).isEmpty();
  }

  @Test
  void innermostScopeIsTheCurrentOne() {
    SignalProbe<Lock> probe = v.run(under("a", under("b", CurrentLock.get())));

    assertThat(probe.value().keys()).containsExactly("b");
  }

  @Test
  void requireFindsTheKeyOfAnyScopeAround() {
    SignalProbe<Lock> probe = v.run(under("a", under("b", CurrentLock.require("a"))));

    assertThat(probe.value().keys()).containsExactly("a");
  }

  @Test
  void requireOfAKeyThatIsNotHeldSaysWhatToDo() {
    SignalProbe<Lock> probe = v.run(under("a", CurrentLock.require("b")));

    assertThat(probe.error(IllegalStateException.class))
        .hasMessageContaining("does not hold b")
        .hasMessageContaining("LockOperators");
  }

  @Test
  void requireOfAReleasedLockIsItsLoss() {
    SignalProbe<Object> probe =
        v.run(
            under(
                "a",
                CurrentLock.get()
                    .flatMap(Lock::release)
                    .then(CurrentLock.require("a"))
                    .cast(Object.class)));

    assertThat(probe.error(LockLostException.class).reason()).isEqualTo(Reason.RELEASED);
  }

  @Test
  void requireOfAnExpiredLockIsItsLoss() {
    Mono<Lock> late = Mono.delay(Duration.ofSeconds(9), v.time).then(CurrentLock.require("a"));
    Mono<Lock> detached =
        Mono.deferContextual(
            context -> {
              SignalProbe<Lock> probe = v.run(late.contextWrite(context));
              return Mono.<Lock>never().doFinally(any -> this.detached = probe);
            });
    v.run(detached.transformDeferred(locked(v.locker, "a", OPTIONS.autoRefresh(false))));

    v.pass(Duration.ofSeconds(9));

    assertThat(this.detached.error(LockLostException.class).reason()).isEqualTo(Reason.EXPIRED);
  }

  private SignalProbe<Lock> detached;

  @Test
  void requirePrefersAScopeThatIsValid() {
    LockOptions shared = OPTIONS.token("0123456789012345678901");
    Mono<Boolean> nested =
        CurrentLock.get()
            .flatMap(Lock::release)
            .then(CurrentLock.require("a"))
            .map(Lock::isValid)
            .transformDeferred(locked(v.another(), "a", shared));

    SignalProbe<Boolean> probe = v.run(nested.transformDeferred(locked(v.locker, "a", shared)));

    assertThat(probe.value()).isTrue();
  }

  @Test
  void badKeyFailsAtTheCall() {
    assertThatThrownBy(() -> CurrentLock.require("")).isInstanceOf(IllegalArgumentException.class);
  }
}
