// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Who may get the keys before a waiter of the same locker. */
class OvertakingTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

  /** Longer than a step back of a process that has seen no other one. */
  private static final Duration STEP_BACK = Duration.ofMillis(5);

  private VirtualLocker v = new VirtualLocker();

  private SignalProbe<Lock> acquire() {
    return v.run(v.locker.acquire("a", OPTIONS));
  }

  @Test
  void tryAcquireDoesNotOvertakeAWaiterThatStepsBack() {
    v = new VirtualLocker(builder -> builder.turn(Duration.ZERO));
    Lock first = acquire().value();
    SignalProbe<Lock> second = acquire();
    SignalProbe<Lock> waiter = acquire();
    v.run(first.release());
    v.pass(STEP_BACK);
    v.run(second.value().release());
    assertThat(v.isFree("a")).as("left to other processes").isTrue();
    long sent = v.store.count(ACQUIRE);

    assertThat(v.run(v.locker.tryAcquire("a", OPTIONS)).values).isEmpty();
    assertThat(v.store.count(ACQUIRE)).isEqualTo(sent);
    v.pass(STEP_BACK);
    assertThat(waiter.values).hasSize(1);
  }

  @Test
  void tryAcquireDoesNotOvertakeAWaiterBehindAHolder() {
    Lock first = acquire().value();
    SignalProbe<Lock> second = acquire();
    SignalProbe<Lock> waiter = acquire();
    v.run(first.release());
    assertThat(second.values).hasSize(1);

    assertThat(v.run(v.locker.tryAcquire("a", OPTIONS)).values).isEmpty();
    assertThat(waiter.isPending()).isTrue();
  }

  @Test
  void aBusyKeyDoesNotStarveAWaiterForThisAndAnotherKey() {
    assertIsNotStarved(List.of("a", "b"), OPTIONS);
  }

  @Test
  void aBusyKeyDoesNotStarveAWaiterWithATokenOfItsOwn() {
    assertIsNotStarved(List.of("a"), OPTIONS.token("y".repeat(22)));
  }

  @Test
  void aWaiterIsNotOvertakenMoreOftenWhileItsFirstAttemptIsUnderWay() {
    assertIsNotStarved(List.of("a", "b"), OPTIONS, Duration.ofMillis(200));
    v = new VirtualLocker();
    assertIsNotStarved(List.of("a"), OPTIONS.token("y".repeat(22)), Duration.ofMillis(200));
  }

  private void assertIsNotStarved(Collection<String> keys, LockOptions options) {
    assertIsNotStarved(keys, options, Duration.ZERO);
  }

  /**
   * Those that waited before go first, and eight may overtake.
   *
   * @param firstAnswer how long the first attempt takes
   */
  private void assertIsNotStarved(
      Collection<String> keys, LockOptions options, Duration firstAnswer) {
    AtomicInteger served = new AtomicInteger();
    Mono<Long> work = Mono.delay(Duration.ofMillis(1), v.time);
    for (int i = 0; i < 16; i++) {
      v.run(
          v.locker
              .withLock("a", OPTIONS, lock -> work)
              .doOnNext(any -> served.incrementAndGet())
              .repeat());
    }
    v.pass(Duration.ofMillis(500));
    assertThat(served).hasValueGreaterThan(100);

    int before = served.get();
    AtomicInteger overtaken = new AtomicInteger();
    HeldBack answer = HeldBack.answer();
    v.store.next(ACQUIRE, answer);
    SignalProbe<Boolean> waiter =
        v.run(
            v.locker
                .acquire(keys, options)
                .doOnNext(any -> overtaken.set(served.get() - before))
                .flatMap(Lock::release));
    v.pass(firstAnswer);
    answer.letThrough();
    v.pass(Duration.ofSeconds(9));
    assertThat(waiter.values).as("served in 9 s").containsExactly(true);
    assertThat(overtaken).as("times overtaken").hasValueLessThanOrEqualTo(16 + 8);
  }
}
