// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockActivity.State;
import io.monolock.LockOptions;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** What a locker shows of its holders and waiters. */
class ActivityTest {

  private static final Duration TTL = Duration.ofSeconds(9);

  private final VirtualLocker v = new VirtualLocker();

  private LockActivity only() {
    assertThat(v.locker.activity()).hasSize(1);
    return v.locker.activity().get(0);
  }

  @Test
  void nothingIsShownBeforeTheFirstCall() {
    assertThat(v.locker.activity()).isEmpty();
  }

  @Test
  void heldLockIsShownWithItsAgeAndWhatRemains() {
    Lock lock = v.get(v.locker.acquire("a", TTL));
    v.pass(Duration.ofSeconds(2));

    LockActivity shown = only();

    assertThat(shown.keys()).isEqualTo(Set.of("a"));
    assertThat(shown.state()).isEqualTo(State.HELD);
    assertThat(shown.age()).isEqualTo(Duration.ofSeconds(2));
    assertThat(shown.remaining()).isEqualTo(lock.remaining());
  }

  @Test
  void lockOfAScopeIsShown() {
    v.run(v.locker.withLock("a", TTL, Mono.never()));

    assertThat(only().state()).isEqualTo(State.HELD);
  }

  @Test
  void attachedLockIsShown() {
    Lock lock = v.get(v.another().acquire("a", TTL));

    v.get(v.locker.attach(lock.keys(), lock.token(), LockOptions.of(TTL)));

    assertThat(only().state()).isEqualTo(State.HELD);
  }

  @Test
  void waitersAreShownOldestFirst() {
    v.get(v.another().acquire("a", TTL));
    v.run(v.locker.acquire("a", TTL));
    v.pass(Duration.ofSeconds(1));
    v.run(v.locker.acquire("a", TTL));

    assertThat(v.locker.activity())
        .extracting(LockActivity::state, LockActivity::age)
        .containsExactly(
            tuple(State.WAITING, Duration.ofSeconds(1)), tuple(State.WAITING, Duration.ZERO));
  }

  @Test
  void releaseThatIsNotAnsweredIsShown() {
    Lock lock = v.get(v.locker.acquire("a", TTL));
    v.store.next(StoreOperation.RELEASE, ScriptedStore.swallowed());

    v.run(lock.release());

    assertThat(only().state()).isEqualTo(State.RELEASING);
    assertThat(only().remaining()).isZero();
  }

  @Test
  void whatIsOverIsNotShown() {
    v.get(v.get(v.locker.acquire("a", TTL)).release());
    v.get(v.another().acquire("a", Duration.ofHours(1)));
    SignalProbe<Lock> cancelled = v.run(v.locker.acquire("a", TTL));
    cancelled.cancel();
    v.get(v.locker.acquire("b", TTL));
    v.pass(TTL);

    assertThat(v.locker.activity()).isEmpty();
  }

  @Test
  void waiterThatCancelledIsNotShownThoughTheAnswerIsStillAwaited() {
    v.store.next(StoreOperation.ACQUIRE, ScriptedStore.swallowed());
    SignalProbe<Lock> probe = v.run(v.locker.acquire("a", TTL));
    assertThat(only().state()).isEqualTo(State.WAITING);

    probe.cancel();

    assertThat(v.locker.activity()).isEmpty();
  }

  @Test
  void idsAreThoseThatTheObserverGets() {
    v.get(v.locker.acquire("a", TTL));

    assertThat(v.observed.ids).contains(only().id());
  }
}
