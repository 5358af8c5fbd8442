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

/** What members hint to those who wait. */
class QuorumWakeUpsTest {

  private static final Duration SOON = Duration.ofMillis(5);

  private final VirtualQuorum quorum = new VirtualQuorum();
  private final QuorumLockStore store = quorum.store();
  private final List<LockKeys> hints = new ArrayList<>();
  private final Disposable waiting = store.wakeUps(A).subscribe(hints::add);

  @Test
  void anyMemberWakes() {
    for (TestMember member : quorum.members) {
      member.hint(A);
      quorum.pass(SOON);
    }

    assertThat(hints).containsExactly(A, A, A);
  }

  @Test
  void hintsThatComeTogetherWakeOnce() {
    quorum.members.forEach(member -> member.hint(A));
    quorum.members.forEach(member -> member.hint(B));
    quorum.pass(SOON);

    assertThat(hints).containsExactly(A);
  }

  @Test
  void aMemberThatCannotHintDoesNotEndThoseOfTheOthers() {
    quorum.member(1).breakHints();
    quorum.member(2).hint(A);
    quorum.pass(SOON);

    assertThat(hints).containsExactly(A);
    assertThat(waiting.isDisposed()).isFalse();
  }

  /** Otherwise whoever waits would wake itself again and again. */
  @Test
  void whatAnAttemptInVainGaveBackIsNoHint() {
    quorum.member(1).memory().acquire(A, BOB, "", TTL, false).block();
    quorum.member(2).memory().acquire(A, BOB, "", TTL, false).block();
    quorum.acquire(store, ALICE);

    quorum.member(3).hint(A);
    quorum.pass(SOON);
    assertThat(hints).isEmpty();

    quorum.member(2).hint(A);
    quorum.pass(SOON);
    assertThat(hints).containsExactly(A);
  }

  @Test
  void ofThoseWhoHaveGoneNothingIsLeft() {
    Disposable another = store.wakeUps(A).subscribe();
    assertThat(store.underWay()).isEqualTo(1);
    another.dispose();
    assertThat(store.underWay()).isEqualTo(1);
    waiting.dispose();

    assertThat(store.underWay()).isZero();
    assertThat(quorum.members).allMatch(member -> member.listeners() == 0);
  }
}
