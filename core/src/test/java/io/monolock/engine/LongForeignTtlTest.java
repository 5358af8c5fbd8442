// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static io.monolock.engine.ScriptedStore.answers;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.store.Grant;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A key of others may live for longer than a long counts in nanoseconds. */
class LongForeignTtlTest {

  private static final Duration LONG = Duration.ofMillis(10_000_000_000_000L);
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(5)).waitAtMost(Duration.ofSeconds(60));

  private final VirtualLocker v = new VirtualLocker();

  /** The key is free again after the first attempt. */
  private void refuseOnce() {
    v.store.next(ACQUIRE, answers(new Grant.Busy(Optional.of(LONG))));
  }

  @Test
  void waiterAsksAgainWhenItIsWoken() {
    refuseOnce();
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS));
    v.store.wakeUp("a");
    v.pass(Duration.ofMillis(10));

    assertThat(waiter.values).hasSize(1);
  }

  @Test
  void waiterAsksAgainAsItsRetrySpecSays() {
    refuseOnce();
    SignalProbe<Lock> waiter = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofSeconds(2));

    assertThat(waiter.values).hasSize(1);
  }

  @Test
  void theKeyIsBusyForOneThatDoesNotWait() {
    refuseOnce();
    SignalProbe<Lock> trying = v.run(v.locker.tryAcquire("a", OPTIONS));
    refuseOnce();
    SignalProbe<Lock> once = v.run(v.locker.acquire("b", OPTIONS.waitAtMost(Duration.ZERO)));

    assertThat(trying.values).isEmpty();
    assertThat(trying.error).isNull();
    assertThat(trying.end).as("end").isNotNull();
    assertThat(once.error(LockNotAcquiredException.class).retryAfter()).contains(LONG);
  }
}
