// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.quorum.TestMember.answerLost;
import static io.monolock.quorum.TestMember.down;
import static io.monolock.quorum.TestMember.slow;
import static io.monolock.quorum.VirtualQuorum.A;
import static io.monolock.quorum.VirtualQuorum.ALICE;
import static io.monolock.quorum.VirtualQuorum.BOB;
import static io.monolock.quorum.VirtualQuorum.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.quorum.VirtualQuorum.Result;
import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A lock that members lose while it is held. */
class QuorumExtensionTest {

  private final VirtualQuorum quorum = new VirtualQuorum();
  private final QuorumLockStore store = quorum.store();

  @BeforeEach
  void hold() {
    assertThat(quorum.run(store.acquire(A, ALICE, "Alice's", TTL, false)).value()).isNotNull();
  }

  private Result<Boolean> extend() {
    return quorum.run(store.extend(A, ALICE, TTL));
  }

  @Test
  @DisplayName("B62: members that come back empty one after the other do not lose the lock")
  void aMemberThatCameBackEmptyIsGivenTheKeysAgain() {
    quorum.member(1).restartEmpty();
    assertThat(extend().value()).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(1, 2, 3);
    assertThat(quorum.member(1).memory().inspect("a").block().metadata()).contains("Alice's");

    quorum.member(2).restartEmpty();
    assertThat(extend().value()).isTrue();
    quorum.member(3).restartEmpty();
    assertThat(extend().value()).isTrue();

    assertThat(quorum.having(ALICE)).containsExactly(1, 2, 3);
    assertThat(store.underWay()).isZero();
  }

  @Test
  void aMemberThatWasDownIsGivenTheKeysWhenItIsBack() {
    quorum.run(store.release(A, ALICE, Duration.ZERO));
    quorum.member(2).is(down());
    hold();

    quorum.member(2).isBack();
    assertThat(extend().value()).isTrue();

    assertThat(quorum.having(ALICE)).containsExactly(1, 2, 3);
  }

  @Test
  void keysOfAnotherHolderAreNotTaken() {
    quorum.member(1).memory().forceRelease("a").block();
    quorum.member(1).memory().acquire(A, BOB, "", TTL, false).block();

    assertThat(extend().value()).isTrue();

    assertThat(quorum.having(BOB)).containsExactly(1);
  }

  @Test
  void withoutAMajorityNothingIsRestored() {
    quorum.member(1).restartEmpty();
    quorum.member(2).restartEmpty();

    assertThat(extend().value()).isFalse();

    assertThat(quorum.having(ALICE)).containsExactly(3);
  }

  @Test
  void aMajorityThatCannotBeHadNowIsNoLoss() {
    quorum.member(1).restartEmpty();
    quorum.member(2).is(down());
    assertThat(extend().failure().isTransient()).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(2, 3);

    quorum.member(2).isBack();
    assertThat(extend().value()).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(1, 2, 3);
  }

  @Test
  void aReleaseEndsTheRestorationThatHasNotBegun() {
    Duration late = Duration.ofMillis(100);
    quorum.member(1).restartEmpty();
    quorum.member(1).is(slow(late, Duration.ZERO, quorum.time));
    assertThat(extend().value()).isTrue();
    quorum.member(1).isBack();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();

    quorum.pass(late);

    assertThat(quorum.having(ALICE)).isEmpty();
    assertThat(quorum.member(1).count("acquire")).isEqualTo(1);
    assertThat(store.underWay()).isZero();
  }

  @Test
  void whatIsBeingRestoredDuringAReleaseIsReleased() {
    Duration late = Duration.ofMillis(100);
    quorum.member(1).restartEmpty();
    quorum.member(1).is(slow(late, Duration.ZERO, quorum.time));
    assertThat(extend().value()).isTrue();
    quorum.pass(late);
    assertThat(quorum.member(1).count("acquire")).isEqualTo(2);
    quorum.member(1).isBack();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();
    assertThat(quorum.having(ALICE)).isEmpty();

    quorum.pass(late);

    assertThat(quorum.having(ALICE)).isEmpty();
    assertThat(store.unconfirmedReleases()).isZero();
    assertThat(store.underWay()).isZero();
  }

  @Test
  void whatAnExtensionOfSomeKeysHasRestoredIsReleasedWithAll() {
    LockKeys both = LockKeys.of(List.of("a", "b"));
    quorum.run(store.release(A, ALICE, Duration.ZERO));
    assertThat(quorum.run(store.acquire(both, ALICE, "", TTL, false)).value()).isNotNull();
    quorum.member(1).restartEmpty();
    assertThat(extend().value()).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(1, 2, 3);

    assertThat(quorum.run(store.release(both, ALICE, Duration.ZERO)).value()).isTrue();

    assertThat(quorum.having(ALICE)).isEmpty();
    assertThat(store.tokens()).isZero();
  }

  @Test
  void anExtensionWhoseAnswerWasLostCountsAsNone() {
    quorum.member(1).is(answerLost());
    quorum.member(2).is(answerLost());

    assertThat(extend().failure().isTransient()).isTrue();

    assertThat(store.underWay()).isZero();
  }
}
