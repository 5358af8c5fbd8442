// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.quorum.VirtualQuorum.A;
import static io.monolock.quorum.VirtualQuorum.ALICE;
import static io.monolock.quorum.VirtualQuorum.B;
import static io.monolock.quorum.VirtualQuorum.BOB;
import static io.monolock.quorum.VirtualQuorum.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;

/** How the wake-ups of members reach a waiter. */
class QuorumWakeUpsTest {

  private static final Duration SOON = Duration.ofMillis(5);

  private final VirtualQuorum quorum = new VirtualQuorum();
  private final QuorumLockStore store = quorum.store();
  private final List<LockKeys> wakeUps = new ArrayList<>();
  private final Disposable waiting = store.wakeUps(A).subscribe(wakeUps::add);

  @Test
  void anyMemberWakes() {
    for (TestMember member : quorum.members) {
      member.wake(A);
      quorum.pass(SOON);
    }

    assertThat(wakeUps).containsExactly(A, A, A);
  }

  @Test
  void wakeUpsAtTheSameTimeWakeOnce() {
    quorum.members.forEach(member -> member.wake(A));
    quorum.members.forEach(member -> member.wake(B));
    quorum.pass(SOON);

    assertThat(wakeUps).containsExactly(A);
  }

  @Test
  void aMemberWhoseWakeUpsFailDoesNotEndThoseOfTheOthers() {
    quorum.member(1).failWakeUps();
    quorum.member(2).wake(A);
    quorum.pass(SOON);

    assertThat(wakeUps).containsExactly(A);
    assertThat(waiting.isDisposed()).isFalse();
  }

  /** Otherwise a waiter would wake itself again and again. */
  @Test
  void releasesOfAnAttemptInVainWakeNoWaiter() {
    quorum.member(1).memory().acquire(A, BOB, "", TTL, false).block();
    quorum.member(2).memory().acquire(A, BOB, "", TTL, false).block();
    quorum.acquire(store, ALICE);

    quorum.member(3).wake(A);
    quorum.pass(SOON);
    assertThat(wakeUps).isEmpty();

    quorum.member(2).wake(A);
    quorum.pass(SOON);
    assertThat(wakeUps).containsExactly(A);
  }

  @Test
  void waitersThatHaveGoneLeaveNothing() {
    Disposable another = store.wakeUps(A).subscribe();
    assertThat(store.underWay()).isEqualTo(1);
    another.dispose();
    assertThat(store.underWay()).isEqualTo(1);
    waiting.dispose();

    assertThat(store.underWay()).isZero();
    assertThat(quorum.members).allMatch(member -> member.subscribers() == 0);
  }
}
