// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.quorum.TestMember.down;
import static io.monolock.quorum.VirtualQuorum.A;
import static io.monolock.quorum.VirtualQuorum.ALICE;
import static io.monolock.quorum.VirtualQuorum.BOB;
import static io.monolock.quorum.VirtualQuorum.TTL;
import static io.monolock.quorum.VirtualQuorum.busy;
import static io.monolock.quorum.VirtualQuorum.isGranted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which members may help to grant a lock. */
class MemberEligibilityTest {

  private static final Duration HOUR = Duration.ofHours(1);

  /**
   * For so long a member must have forgotten nothing: the largest ttl, and 2 % as clocks differ.
   */
  private static final Duration UNTIL_IT_VOTES = TTL.plus(TTL.dividedBy(50));

  private final VirtualQuorum quorum = new VirtualQuorum();
  private final QuorumLockStore store = quorum.store();

  private void restartAllEmpty() {
    quorum.members.forEach(TestMember::restartEmpty);
  }

  /** Alice holds the key at two of the members, of which the second one forgets it. */
  private void forget() {
    quorum.member(3).is(down());
    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    quorum.member(3).isBack();
    quorum.member(2).restartEmpty();
  }

  @Test
  void aNewQuorumWaitsForTheLargestTtl() {
    restartAllEmpty();

    assertThat(quorum.acquire(store, ALICE).failure()).hasMessageContaining("must not vote yet");
    quorum.pass(UNTIL_IT_VOTES.minusMillis(1));
    assertThat(quorum.acquire(store, ALICE).failure()).hasMessageContaining("it votes in 1 ms");
    quorum.pass(Duration.ofMillis(1));

    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
  }

  @Test
  void aNewQuorumThatIsDeclaredIsUsedAtOnceByAllProcesses() {
    restartAllEmpty();

    quorum.run(store.declareNew());

    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(isGranted(quorum.run(quorum.store().acquire(VirtualQuorum.B, BOB, "", TTL, false))))
        .isTrue();
  }

  @Test
  void whatNotAllMembersConfirmIsNotDeclared() {
    restartAllEmpty();
    quorum.member(3).is(down());

    assertThat(quorum.run(store.declareNew()).failure()).hasMessageContaining("UNAVAILABLE");
  }

  @Test
  void aMemberThatRestartedEmptyHasNoVote() {
    quorum.acquire(store, BOB);
    quorum.run(store.release(A, BOB, Duration.ZERO));
    forget();

    assertThat(busy(quorum.acquire(store, BOB))).isPresent();
    assertThat(quorum.having(BOB)).isEmpty();
    assertThat(quorum.having(ALICE)).containsExactly(1);
  }

  @Test
  void aStoreThatDidNotKnowItBeforeGivesItNoVote() {
    forget();

    assertThat(busy(quorum.acquire(quorum.store(), BOB))).isPresent();
  }

  @Test
  void aMemberVotesAgainWhenTheLargestTtlHasPassed() {
    quorum.acquire(store, BOB);
    quorum.run(store.release(A, BOB, Duration.ZERO));
    quorum.member(2).restartEmpty();
    quorum.member(3).is(down());

    assertThat(quorum.acquire(store, ALICE).failure())
        .hasMessageContaining("2 of 3 members answered, of whom 1 must not vote yet")
        .satisfies(
            failure -> {
              assertThat(failure.isTransient()).isTrue();
              assertThat(failure.getSuppressed()).hasSize(1);
            });
    quorum.pass(UNTIL_IT_VOTES.minusMillis(1));
    assertThat(quorum.acquire(store, ALICE).failure().isTransient()).isTrue();
    quorum.pass(Duration.ofMillis(1));

    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(1, 2);
  }

  @Test
  void aMemberWithoutAVoteIsGivenTheKeysAllTheSame() {
    quorum.acquire(store, BOB);
    quorum.run(store.release(A, BOB, Duration.ZERO));
    quorum.member(2).restartEmpty();

    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();

    assertThat(quorum.having(ALICE)).containsExactly(1, 2, 3);
  }

  @Test
  void aVoteForAShortLockCountsForTheLargestTtlToo() {
    QuorumLockStore store = quorum.store(HOUR, builder -> builder);
    quorum.member(2).restartEmpty();
    quorum.member(3).is(down());

    quorum.pass(TTL.multipliedBy(2));

    assertThat(quorum.acquire(store, ALICE).failure()).hasMessageContaining("must not vote yet");
  }

  @Test
  void aLongerTtlIsMisuse() {
    Duration longer = TTL.plusMillis(1);

    assertThat(quorum.run(store.acquire(A, ALICE, "", longer, false)).failure())
        .hasMessageContaining(
            "ttl must be at most the largestTtl of the quorum, PT10S, was PT10.001S")
        .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.MISUSE));
    assertThat(quorum.run(store.extend(A, ALICE, longer)).failure().reason())
        .isEqualTo(Reason.MISUSE);
    assertThat(quorum.run(store.release(A, ALICE, longer)).failure().reason())
        .isEqualTo(Reason.MISUSE);
    assertThat(quorum.member(1).calls()).isEmpty();
  }

  @Test
  void aLongerLockIsRefusedWhenItIsAssembled() {
    store.check(A, TTL, false);

    assertThatIllegalArgumentException()
        .isThrownBy(() -> store.check(A, TTL.plusMillis(1), false))
        .withMessage(
            "ttl and holdAtLeast must be at most the largestTtl of the quorum, PT10S,"
                + " was PT10.001S");
  }

  /** What the rule prevents: without it, there are two holders. */
  @Test
  void withTheSwitchAMemberThatForgotHelpsToGrantWhatIsHeld() {
    forget();
    QuorumLockStore other = quorum.store(TTL, builder -> builder.restartedMembersVoteAtOnce(true));

    assertThat(isGranted(quorum.acquire(other, BOB))).isTrue();
  }

  @Test
  void aMinorityThatIsNewMustWaitThoughAllThatAnswerAreNew() {
    quorum.member(1).is(down());
    quorum.member(2).is(down());
    quorum.member(3).restartEmpty();

    assertThat(quorum.acquire(store, ALICE).failure()).hasMessageContaining("1 of 3");
  }

  @Test
  void membersThatAreEquallyOldAreNoNewQuorum() {
    quorum.member(1).is(down());
    quorum.member(2).restartEmpty();
    quorum.member(3).restartEmpty();

    assertThat(quorum.acquire(store, ALICE).failure()).hasMessageContaining("must not vote yet");
  }

  @Test
  @DisplayName("B64: the same server twice")
  void twoMembersOnOneServerAreMisuse() {
    quorum.member(1).reportServer("redis");
    quorum.member(3).reportServer("redis");

    for (int i = 0; i < 2; i++) {
      assertThat(quorum.acquire(store, ALICE).failure())
          .hasMessageContaining("independent")
          .satisfies(
              failure -> {
                assertThat(failure.reason()).isEqualTo(Reason.MISUSE);
                assertThat(failure.isTransient()).isFalse();
              });
    }
    assertThat(quorum.free()).containsExactly(1, 2, 3);
  }

  @Test
  @DisplayName("B64: the same server twice, of which one was down at first")
  void twoMembersOnOneServerAreMisuseAsSoonAsBothAnswer() {
    quorum.member(1).reportServer("redis");
    quorum.member(2).reportServer("redis");
    quorum.member(2).is(down());
    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();
    quorum.member(2).isBack();
    quorum.pass(Duration.ofSeconds(1));

    assertThat(quorum.acquire(store, ALICE).failure().reason()).isEqualTo(Reason.MISUSE);
    assertThat(quorum.acquire(store, BOB).failure().reason()).isEqualTo(Reason.MISUSE);
  }
}
