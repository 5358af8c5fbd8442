// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Thousands of waiters of one line give up at the same time. */
class DepartingWaitersTest {

  private static final int WAITERS = 5_000;
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(60)).waitAtMost(Duration.ofMinutes(2));

  private final VirtualLocker v = new VirtualLocker();
  private Lock heldElsewhere;

  @BeforeEach
  void hold() {
    heldElsewhere = v.get(v.another().tryAcquire("a", LockOptions.of(Duration.ofMinutes(10))));
  }

  private Disposable waiters(Duration atMost) {
    Disposable waiters =
        Flux.range(0, WAITERS)
            .flatMap(
                i -> v.locker.acquire("a", OPTIONS.waitAtMost(atMost)).onErrorComplete(), WAITERS)
            .subscribe();
    v.time.advanceTime();
    return waiters;
  }

  private void assertGetsTheKeyOnRelease(SignalProbe<Lock> waiter) {
    assertThat(waiter.isPending()).isTrue();
    v.run(heldElsewhere.release());
    v.store.wakeUp("a");
    v.pass(Duration.ofMillis(10)); // a wake-up is delayed by 5 ms at most
    assertThat(waiter.values).hasSize(1);
  }

  @Test
  void fiveThousandTimeoutsCostAtMostFiftyCommands() {
    waiters(Duration.ofSeconds(5));
    SignalProbe<Lock> stays = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofMillis(4_900));
    long sent = v.store.count(ACQUIRE);

    v.pass(Duration.ofMillis(200));
    assertThat(v.store.count(ACQUIRE) - sent).as("commands").isLessThanOrEqualTo(50);
    assertGetsTheKeyOnRelease(stays);
  }

  @Test
  void fiveThousandCancelsCostAtMostFiftyCommands() {
    Disposable waiters = waiters(Duration.ofMinutes(1));
    SignalProbe<Lock> stays = v.run(v.locker.acquire("a", OPTIONS));
    v.pass(Duration.ofMillis(4_900));
    long sent = v.store.count(ACQUIRE);

    waiters.dispose();
    v.pass(Duration.ofMillis(200));
    assertThat(v.store.count(ACQUIRE) - sent).as("commands").isLessThanOrEqualTo(50);
    assertGetsTheKeyOnRelease(stays);
  }
}
