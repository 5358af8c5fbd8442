// SPDX-License-Identifier: Apache-2.0
package io.monolock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.store.Grant.Busy;
import io.monolock.store.Grant.Granted;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

class InMemoryLockStoreTest implements LockStoreContract {

  private final InMemoryLockStore store = InMemoryLockStore.create();

  @Override
  public LockStore store() {
    return store;
  }

  @Test
  void timeIsThatOfTheClock() {
    VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    LockStore virtual = InMemoryLockStore.create(clock);
    virtual.acquire(A, ALICE, "", LONG, false).block();

    clock.advanceTimeBy(LONG.minusNanos(1));
    assertThat(virtual.remaining(A, ALICE).block()).isEqualTo(Duration.ofNanos(1));
    assertThat(virtual.acquire(A, BOB, "", LONG, false).block())
        .isEqualTo(new Busy(Optional.of(Duration.ofNanos(1))));

    clock.advanceTimeBy(Duration.ofNanos(1));
    assertThat(virtual.remaining(A, ALICE).block()).isZero();
    assertThat(virtual.acquire(A, BOB, "", LONG, false).block()).isInstanceOf(Granted.class);
  }

  @Test
  void fencingNumbersIncreaseEvenWhenTheClockStands() {
    LockStore virtual = InMemoryLockStore.create(VirtualTimeScheduler.create());
    Granted first = (Granted) virtual.acquire(A, ALICE, "", LONG, true).block();
    virtual.release(A, ALICE, Duration.ZERO).block();
    Granted second = (Granted) virtual.acquire(A, BOB, "", LONG, true).block();
    assertThat(second.fencingToken().orElseThrow())
        .isGreaterThan(first.fencingToken().orElseThrow());
  }

  /** B34: keys that nobody ever releases do not pile up. */
  @Test
  void expiredKeysAreDropped() {
    VirtualTimeScheduler clock = VirtualTimeScheduler.create();
    InMemoryLockStore virtual = InMemoryLockStore.create(clock);
    for (int i = 0; i < 1_000_000; i++) {
      virtual.acquire(LockKeys.of("key" + i), ALICE, "", Duration.ofMillis(100), false).block();
      clock.advanceTimeBy(Duration.ofMillis(1));
    }
    assertThat(virtual.size()).isLessThan(3_000);
  }

  @Test
  void releasedKeysAreDroppedAtOnce() {
    store.acquire(AB, ALICE, "", LONG, true).block();
    store.release(AB, ALICE, Duration.ZERO).block();
    assertThat(store.size()).isZero();
  }

  @Test
  void twoStoresKnowNothingOfEachOther() {
    store.acquire(A, ALICE, "", LONG, false).block();
    LockStore other = InMemoryLockStore.create();
    assertThat(other.acquire(A, BOB, "", LONG, false).block()).isInstanceOf(Granted.class);
  }
}
