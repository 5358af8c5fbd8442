// SPDX-License-Identifier: Apache-2.0
package io.monolock.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.store.Grant;
import io.monolock.store.Grant.Busy;
import io.monolock.store.Grant.Granted;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
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

  /** B34: keys that are never released do not pile up. */
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

  private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
  private final InMemoryLockStore virtual = InMemoryLockStore.create(clock);

  /** How often each set of keys was said to be worth another attempt. */
  private List<LockKeys> wakeUpsFor(LockKeys... waiting) {
    List<LockKeys> wakeUps = new ArrayList<>();
    for (LockKeys keys : waiting) {
      virtual.wakeUps(keys).subscribe(wakeUps::add);
    }
    assertThat(wakeUps).containsExactly(waiting); // for what happened before
    wakeUps.clear();
    return wakeUps;
  }

  @Test
  void aReleaseWakesEverySetWithTheKey() {
    virtual.acquire(A, ALICE, "", LONG, false).block();
    List<LockKeys> wakeUps = wakeUpsFor(A, AB, B);

    virtual.release(A, BOB, Duration.ZERO).block();
    virtual.extend(A, ALICE, LONGER).block();
    assertThat(wakeUps).isEmpty();
    virtual.release(A, ALICE, Duration.ZERO).block();

    assertThat(wakeUps).containsExactly(A, AB);
  }

  @Test
  void aReleaseOfSeveralKeysWakesOnce() {
    virtual.acquire(AB, ALICE, "", LONG, false).block();
    List<LockKeys> wakeUps = wakeUpsFor(AB);

    virtual.release(AB, ALICE, Duration.ZERO).block();

    assertThat(wakeUps).containsExactly(AB);
  }

  @Test
  void aForcedReleaseWakes() {
    virtual.acquire(A, ALICE, "", LONG, false).block();
    List<LockKeys> wakeUps = wakeUpsFor(A);

    virtual.forceRelease(A.asList().get(0)).block();

    assertThat(wakeUps).containsExactly(A);
  }

  @Test
  void theEndOfAKeyWakesThoughItWasProlonged() {
    virtual.acquire(A, ALICE, "", LONG, false).block();
    List<LockKeys> wakeUps = wakeUpsFor(A);
    clock.advanceTimeBy(LONG.dividedBy(2));
    virtual.extend(A, ALICE, LONG).block();

    clock.advanceTimeBy(LONG.minusMillis(1));
    assertThat(wakeUps).isEmpty();
    clock.advanceTimeBy(Duration.ofMillis(1));

    assertThat(wakeUps).containsExactly(A);
  }

  @Test
  void theEndOfAKeyWakesThoughItWasTakenAfterwards() {
    List<LockKeys> wakeUps = wakeUpsFor(A);
    virtual.acquire(A, ALICE, "", LONGER, false).block();
    virtual.release(A, ALICE, LONG).block();

    clock.advanceTimeBy(LONG);

    assertThat(wakeUps).containsExactly(A);
  }

  @Test
  void aTransferWakesNoWaiter() {
    virtual.acquire(AB, ALICE, "", LONG, false).block();
    List<LockKeys> wakeUps = wakeUpsFor(A, AB);

    virtual.transfer(AB, ALICE, BOB, "", LONG, false).block();

    assertThat(wakeUps).isEmpty();
  }

  @Test
  void aWokenWaiterMayTryAtOnce() {
    virtual.acquire(A, ALICE, "", LONG, false).block();
    List<Grant> grants = new ArrayList<>();
    virtual
        .wakeUps(A)
        .flatMap(keys -> virtual.acquire(keys, BOB, "", LONG, false))
        .subscribe(grants::add);

    assertThat(virtual.release(A, ALICE, Duration.ZERO).block()).isTrue();

    assertThat(grants).last().isInstanceOf(Granted.class);
  }

  /** B115 */
  @Test
  void waitersThatHaveGoneLeaveNothing() {
    virtual.acquire(AB, ALICE, "", LONG, false).block();
    Disposable one = virtual.wakeUps(AB).subscribe();
    Disposable other = virtual.wakeUps(A).subscribe();
    assertThat(virtual.awaitedKeys()).isEqualTo(2);
    one.dispose();
    assertThat(virtual.awaitedKeys()).isEqualTo(1);
    other.dispose();
    assertThat(virtual.awaitedKeys()).isZero();
  }
}
