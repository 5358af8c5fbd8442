// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.quorum.TestMember.answerLost;
import static io.monolock.quorum.TestMember.down;
import static io.monolock.quorum.TestMember.fails;
import static io.monolock.quorum.TestMember.mute;
import static io.monolock.quorum.TestMember.silent;
import static io.monolock.quorum.TestMember.slow;
import static io.monolock.quorum.VirtualQuorum.A;
import static io.monolock.quorum.VirtualQuorum.ALICE;
import static io.monolock.quorum.VirtualQuorum.BOB;
import static io.monolock.quorum.VirtualQuorum.TTL;
import static io.monolock.quorum.VirtualQuorum.busy;
import static io.monolock.quorum.VirtualQuorum.isGranted;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.quorum.VirtualQuorum.Result;
import io.monolock.store.Grant;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** What a majority decides, which members are waited for, and what is undone without a majority. */
class QuorumMajorityTest {

  private static final Duration SECOND = Duration.ofSeconds(1);

  /** When the next call of a token is sent, though the last one was never answered. */
  private static final Duration UNTIL_GIVEN_UP = Duration.ofSeconds(4);

  private final VirtualQuorum quorum = new VirtualQuorum();
  private final QuorumLockStore store = quorum.store();

  private void hold(int member, String token, Duration ttl) {
    quorum.member(member).memory().acquire(A, token, "", ttl, false).block();
  }

  /** Makes the first acquisition of the store, which waits for all members. */
  private void warmUp() {
    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();
  }

  @Test
  @DisplayName("B63: a member that is down does not end the attempt")
  void aMinorityThatIsDownIsNotNeeded() {
    quorum.member(2).is(down());

    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(1, 3);
    assertThat(quorum.run(store.extend(A, ALICE, TTL)).value()).isTrue();
    assertThat(quorum.run(store.remaining(A, ALICE)).value()).isPositive();
    assertThat(quorum.run(store.inspect("a")).value().metadata()).contains("");
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();
    assertThat(quorum.free()).containsExactly(1, 2, 3);
  }

  @Test
  @DisplayName("B63: a silent member is not waited for when the others agree")
  void aSilentMemberIsNotWaitedFor() {
    warmUp();
    quorum.member(3).is(silent());

    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.run(store.extend(A, ALICE, TTL)).value()).isTrue();
    assertThat(busy(quorum.acquire(store, BOB))).isPresent();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();
  }

  @Test
  void aSilentMemberThatDecidesIsWaitedForWithinItsLimit() {
    warmUp();
    hold(1, BOB, TTL);
    quorum.member(3).is(silent());
    Result<Grant> result = quorum.acquire(store, ALICE);

    quorum.pass(Duration.ofMillis(499));
    assertThat(result.isPending()).isTrue();
    quorum.pass(Duration.ofMillis(1));

    assertThat(busy(result)).isPresent();
    assertThat(quorum.having(ALICE)).isEmpty();
  }

  @Test
  void aSilentMemberIsReportedAsOverdue() {
    warmUp();
    quorum.member(3).is(silent());
    quorum.acquire(store, ALICE);

    quorum.pass(Duration.ofMillis(1_999));
    assertThat(quorum.member(3).count("overdue")).isZero();
    quorum.pass(Duration.ofMillis(1));

    assertThat(quorum.member(3).count("overdue")).isPositive();
    assertThat(quorum.member(1).count("overdue")).isZero();
  }

  @Test
  void withoutAMajorityTheFailureSaysHowManyAnsweredAndWhy() {
    warmUp();
    quorum.member(1).is(down());
    quorum.member(3).is(down());

    StoreFailure failure = quorum.acquire(store, ALICE).failure();

    assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(failure.isTransient()).isTrue();
    assertThat(failure).hasMessageContaining("1 of 3").hasMessageContaining("UNAVAILABLE by test");
    assertThat(failure.getCause()).hasMessageContaining("UNAVAILABLE by test");
    assertThat(failure.getSuppressed()).hasSize(1);
    assertThat(quorum.free()).containsExactly(1, 2, 3);
  }

  @Test
  void everyCallFailsWithoutAMajority() {
    quorum.acquire(store, ALICE);
    quorum.member(1).is(down());
    quorum.member(3).is(down());

    assertThat(quorum.run(store.extend(A, ALICE, TTL)).failure().isTransient()).isTrue();
    assertThat(quorum.run(store.remaining(A, ALICE)).failure().isTransient()).isTrue();
    assertThat(quorum.run(store.inspect("a")).failure().isTransient()).isTrue();
    assertThat(quorum.run(store.raiseFence(A, ALICE, 1)).failure().isTransient()).isTrue();
    assertThat(quorum.run(store.forceRelease("a")).failure().isTransient()).isTrue();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).failure().isTransient()).isTrue();
  }

  @Test
  void aMajorityThatRefusesForGoodIsNotWaitedFor() {
    quorum.member(1).is(fails(Reason.PERMISSION, false));
    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    quorum.run(store.release(A, ALICE, Duration.ZERO));

    quorum.member(2).is(fails(Reason.PERMISSION, false));
    StoreFailure failure = quorum.acquire(store, ALICE).failure();

    assertThat(failure.reason()).isEqualTo(Reason.PERMISSION);
    assertThat(failure.isTransient()).isFalse();
  }

  @Test
  void whatIsLostIsInDoubt() {
    quorum.member(1).is(answerLost());
    quorum.member(2).is(down());

    StoreFailure failure = quorum.acquire(store, ALICE).failure();

    assertThat(failure.reason()).isEqualTo(Reason.UNKNOWN_OUTCOME);
    assertThat(failure.isTransient()).isTrue();
  }

  @Test
  @DisplayName("B61: members that executed it without answering are released, too")
  void anAttemptInVainIsUndoneWhereItsAnswerWasLost() {
    quorum.member(1).is(down());
    quorum.member(3).is(answerLost());
    quorum.acquire(store, ALICE).failure();
    assertThat(quorum.having(ALICE)).doesNotContain(2);

    quorum.member(3).isBack();
    quorum.pass(SECOND);

    assertThat(quorum.free()).containsExactly(1, 2, 3);
    assertThat(store.unconfirmedReleases()).isZero();
  }

  @Test
  @DisplayName("B61: silent members are released, too")
  void anAttemptInVainIsUndoneAtMembersThatAreSilent() {
    warmUp();
    quorum.member(1).is(down());
    quorum.member(3).is(mute());

    assertThat(quorum.runLong(store.acquire(A, ALICE, "", TTL, false)).failure()).isNotNull();
    quorum.pass(UNTIL_GIVEN_UP);

    assertThat(quorum.free()).containsExactly(1, 2, 3);
  }

  @Test
  void aLateGrantOfAnAttemptInVainIsReleased() {
    warmUp();
    quorum.member(1).is(down());
    quorum.member(3).is(slow(SECOND, SECOND, quorum.time));
    quorum.runLong(store.acquire(A, ALICE, "", TTL, false)).failure();

    quorum.pass(Duration.ofSeconds(9));

    assertThat(quorum.member(3).count("acquire")).isEqualTo(2);
    assertThat(quorum.free()).containsExactly(1, 2, 3);
    assertThat(store.unconfirmedReleases()).isZero();
  }

  @Test
  void aLateGrantOfALockIsPartOfIt() {
    warmUp();
    quorum.member(3).is(slow(SECOND, SECOND, quorum.time));
    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(1, 2);

    quorum.pass(Duration.ofSeconds(3));

    assertThat(quorum.having(ALICE)).containsExactly(1, 2, 3);
  }

  @Test
  void theNextAttemptMeetsNothingOfTheLastOne() {
    quorum.member(1).is(down());
    hold(2, BOB, SECOND);
    quorum.acquire(store, ALICE);
    quorum.pass(SECOND);

    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    quorum.pass(SECOND);

    assertThat(quorum.having(ALICE)).containsExactly(2, 3);
  }

  @Test
  void anAttemptInVainEndsOnlyWhenItIsUndone() {
    warmUp();
    Duration way = Duration.ofMillis(10);
    hold(1, BOB, TTL);
    quorum.member(2).is(slow(way, way, quorum.time));
    quorum.member(3).is(down());
    Result<Grant> result = quorum.acquire(store, ALICE);

    quorum.pass(way.multipliedBy(4).minusMillis(1));
    assertThat(result.isPending()).isTrue();
    quorum.pass(Duration.ofMillis(1));

    assertThat(busy(result)).isPresent();
    assertThat(quorum.having(ALICE)).isEmpty();
  }

  @Test
  void anAttemptInVainDoesNotUndoTheNextOneOfTheSameToken() {
    warmUp();
    hold(1, BOB, TTL);
    quorum.member(3).is(silent());
    Result<Grant> inVain = quorum.acquire(store, ALICE);
    quorum.member(1).memory().forceRelease("a").block();
    quorum.member(3).isBack();
    Result<Grant> next = quorum.acquire(store, ALICE);
    assertThat(inVain.isPending()).isTrue();

    quorum.pass(SECOND);

    assertThat(busy(inVain)).isPresent();
    assertThat(isGranted(next)).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(1, 2);
    assertThat(store.underWay()).isZero();
  }

  @Test
  void aCancelledAttemptInVainLeavesNothing() {
    warmUp();
    hold(1, BOB, TTL);
    quorum.member(3).is(silent());
    store.acquire(A, ALICE, "", TTL, false).subscribe(any -> {}, e -> {}).dispose();
    assertThat(quorum.having(ALICE)).containsExactly(2);

    quorum.pass(SECOND);

    assertThat(quorum.having(ALICE)).isEmpty();
    assertThat(store.underWay()).isZero();
  }

  @Test
  void aMemberThatStillHasToReleaseTheTokenIsNotAskedForIt() {
    warmUp();
    quorum.member(1).is(down());
    quorum.member(3).is(mute());
    quorum.runLong(store.acquire(A, ALICE, "", TTL, false)).failure();
    quorum.member(1).isBack();

    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.member(3).count("acquire")).isEqualTo(2);
  }

  @Test
  void aMemberIsNotAskedForATokenWhileAReleaseOfItMayStillTakeEffect() {
    warmUp();
    hold(2, BOB, TTL);
    hold(3, BOB, TTL);
    TestMember first = quorum.member(1);
    first.is(releasedLate(first, Duration.ofMillis(1_500)));
    assertThat(busy(quorum.runLong(store.acquire(A, ALICE, "", TTL, false)))).isPresent();
    assertThat(quorum.having(ALICE)).as("released by the second try").isEmpty();
    quorum.member(2).memory().forceRelease("a").block();
    quorum.member(3).is(down());

    Result<Grant> next = quorum.acquire(store, ALICE);
    quorum.pass(SECOND.multipliedBy(2));

    assertThat(next.failure().isTransient()).isTrue();
    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    quorum.pass(SECOND);
    assertThat(quorum.having(ALICE)).containsExactly(1, 2);
  }

  /** The first release fails as its connection breaks, and takes effect after this time. */
  private TestMember.Behavior releasedLate(TestMember member, Duration delay) {
    long before = member.count("release");
    return new TestMember.Behavior() {
      @Override
      public <T> Mono<T> apply(Mono<T> call) {
        String name = member.calls().get(member.calls().size() - 1);
        if (!name.equals("release") || member.count(name) != before + 1) {
          return call;
        }
        call.delaySubscription(delay, quorum.time).subscribe();
        return fails(Reason.UNKNOWN_OUTCOME, true).apply(call);
      }
    };
  }

  @Test
  @DisplayName("B65: a member at which another holder has the key is no vote")
  void aMajorityIsNeeded() {
    hold(1, BOB, TTL);
    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();

    hold(2, BOB, TTL);
    assertThat(busy(quorum.acquire(store, ALICE))).isPresent();
    assertThat(quorum.having(ALICE)).isEmpty();
  }

  @Test
  @DisplayName("B65: what is left of the ttl counts after all have been asked")
  void aGrantWhoseTtlIsUsedUpIsRefused() {
    warmUp();
    Duration ttl = Duration.ofMillis(300);
    quorum.member(1).is(down());
    quorum.member(2).is(slow(Duration.ZERO, Duration.ofMillis(295), quorum.time));

    StoreFailure failure = quorum.runLong(store.acquire(A, ALICE, "", ttl, false)).failure();

    assertThat(failure.isTransient()).isTrue();
    assertThat(failure).hasMessageContaining("ttl");
    assertThat(quorum.free()).containsExactly(1, 2, 3);
  }

  @Test
  void busySaysWhenAMajorityCanBeFree() {
    hold(1, BOB, Duration.ofSeconds(5));
    hold(2, BOB, Duration.ofSeconds(7));
    assertThat(busy(quorum.runLong(store.acquire(A, ALICE, "", TTL, false))))
        .contains(Duration.ofSeconds(5));
  }

  @Test
  void ofAttemptsThatSplitTheMembersOneGoesOn() {
    QuorumLockStore other = quorum.store();
    hold(2, BOB, TTL);
    hold(3, BOB, TTL);
    Result<Grant> mine = quorum.run(store.acquire(A, ALICE, "", TTL, false));
    assertThat(mine.isPending()).isTrue();

    // as the attempt that got the other members gives up
    quorum.member(2).memory().release(A, BOB, Duration.ZERO).block();
    quorum.member(3).memory().release(A, BOB, Duration.ZERO).block();
    quorum.pass(Duration.ofMillis(1));

    assertThat(isGranted(mine)).isTrue();
    assertThat(((Grant.Granted) mine.value()).fresh()).isTrue();
    assertThat(busy(quorum.acquire(other, BOB))).isPresent();
  }

  @Test
  void anAttemptWithoutTheFirstMemberGivesUpAtOnce() {
    hold(1, BOB, TTL);
    hold(2, BOB, TTL);

    assertThat(busy(quorum.acquire(store, ALICE))).isPresent();
    assertThat(quorum.member(3).isFree(A)).isTrue();
  }

  @Test
  void aReleaseThatAMemberMissedIsRepeatedUntilItIsBack() {
    quorum.acquire(store, ALICE);
    quorum.member(3).is(down());
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(3);

    quorum.pass(SECOND);
    quorum.member(3).isBack();
    quorum.pass(SECOND);

    assertThat(quorum.having(ALICE)).isEmpty();
    assertThat(store.unconfirmedReleases()).isZero();
  }

  @Test
  void aReleaseWithoutAMajorityIsRepeatedUntilTheMembersAreBack() {
    quorum.acquire(store, ALICE);
    quorum.member(2).is(down());
    quorum.member(3).is(down());
    quorum.run(store.release(A, ALICE, Duration.ZERO)).failure();
    assertThat(quorum.having(ALICE)).containsExactly(2, 3);

    quorum.member(2).isBack();
    quorum.member(3).isBack();
    quorum.pass(SECOND);

    assertThat(quorum.having(ALICE)).isEmpty();
  }

  @Test
  void releasesAreRepeatedUntilTheTtlIsOverOnly() {
    QuorumLockStore store = quorum.store(Duration.ofMinutes(2), builder -> builder);
    quorum.acquire(store, ALICE);
    quorum.member(3).is(down());
    quorum.run(store.release(A, ALICE, Duration.ZERO));

    quorum.pass(Duration.ofSeconds(119));
    assertThat(store.unconfirmedReleases()).isEqualTo(1);
    quorum.pass(Duration.ofSeconds(2));
    assertThat(store.unconfirmedReleases()).isZero();

    long releases = quorum.member(3).count("release");
    quorum.pass(Duration.ofMinutes(10));
    assertThat(quorum.member(3).count("release")).isEqualTo(releases);
  }

  @Test
  void whileAMemberFailsOneReleaseIsTriedForAll() {
    for (int i = 0; i < 100; i++) {
      quorum.run(store.acquire(A, "Crowd-Crowd-Crowd-C" + (100 + i), "", TTL, false));
      quorum.member(3).is(down());
      quorum.run(store.release(A, "Crowd-Crowd-Crowd-C" + (100 + i), Duration.ZERO));
      quorum.member(3).isBack();
      quorum.member(3).memory().forceRelease("a").block();
      quorum.member(3).is(down());
    }
    assertThat(store.unconfirmedReleases()).isEqualTo(100);
    long before = quorum.member(3).count("release");

    quorum.pass(SECOND.multipliedBy(5));

    assertThat(quorum.member(3).count("release") - before).isLessThan(15);
    quorum.member(3).isBack();
    quorum.pass(SECOND.multipliedBy(2));
    assertThat(store.unconfirmedReleases()).isZero();
  }

  @Test
  void aReleaseThatCouldNotBeDecidedIsTrueWhereItWasCarriedOutBefore() {
    quorum.acquire(store, ALICE);
    quorum.member(2).is(down());
    quorum.member(3).is(fails(Reason.PERMISSION, false));
    StoreFailure failure = quorum.run(store.release(A, ALICE, Duration.ZERO)).failure();
    assertThat(failure.isInDoubt()).isTrue();
    assertThat(quorum.having(ALICE)).containsExactly(2, 3);

    quorum.member(2).isBack();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();

    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isFalse();
  }

  @Test
  void aGrantThatTheElectionDidNotNeedIsReleasedWhenItComes() {
    warmUp();
    quorum.member(3).is(slow(SECOND, SECOND, quorum.time));
    assertThat(isGranted(quorum.acquire(store, ALICE))).isTrue();
    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();

    quorum.pass(SECOND.plusMillis(1));
    assertThat(quorum.having(ALICE)).containsExactly(3);
    quorum.pass(SECOND.multipliedBy(3));

    assertThat(quorum.free()).containsExactly(1, 2, 3);
    assertThat(store.unconfirmedReleases()).isZero();
    assertThat(store.tokens()).isZero();
  }

  @Test
  void anAcquisitionInDoubtThatTakesEffectAfterTheReleaseIsReleasedAgain() {
    warmUp();
    quorum.member(1).is(down());
    quorum.member(3).is(fails(Reason.UNKNOWN_OUTCOME, true));
    quorum.acquire(store, ALICE).failure();
    quorum.member(3).isBack();
    quorum.pass(SECOND.dividedBy(10));
    hold(3, ALICE, TTL);

    quorum.pass(SECOND.multipliedBy(2));

    assertThat(quorum.having(ALICE)).isEmpty();
    quorum.pass(TTL);
    assertThat(store.tokens()).isZero();
  }

  @Test
  void aCallThatWaitsForItsTurnTooLongIsNeverSent() {
    quorum.acquire(store, ALICE);
    quorum.member(3).is(slow(SECOND, SECOND, quorum.time));
    quorum.run(store.extend(A, ALICE, TTL));
    quorum.run(store.extend(A, ALICE, TTL));
    quorum.run(store.extend(A, ALICE, TTL.dividedBy(2)));

    quorum.pass(SECOND.multipliedBy(5));

    assertThat(quorum.member(3).count("extend")).isEqualTo(1);
  }

  @Test
  void whatIsReleasedMeanwhileIsNotWrittenAgainWhereItWasLost() {
    warmUp();
    quorum.acquire(store, ALICE);
    quorum.member(3).memory().forceRelease("a").block();
    Duration way = SECOND.dividedBy(10);
    quorum.member(1).is(slow(way, way, quorum.time));
    quorum.member(2).is(slow(way, way, quorum.time));
    Result<Boolean> extended = quorum.run(store.extend(A, ALICE, TTL));
    quorum.pass(way.multipliedBy(3)); // now a member was asked what to write
    assertThat(extended.value()).isTrue();
    quorum.member(1).isBack();
    quorum.member(2).isBack();

    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isTrue();
    quorum.pass(SECOND.dividedBy(2));

    assertThat(quorum.having(ALICE)).isEmpty();
  }

  @Test
  void aReleaseOfWhatNoMajorityHasIsFalse() {
    quorum.acquire(store, ALICE);
    quorum.member(1).memory().forceRelease("a").block();
    quorum.member(2).memory().forceRelease("a").block();

    assertThat(quorum.run(store.release(A, ALICE, Duration.ZERO)).value()).isFalse();
    assertThat(quorum.free()).containsExactly(1, 2, 3);
  }

  @Test
  void remainingIsTheTimeForWhichAMajorityHoldsTheKeys() {
    hold(1, ALICE, Duration.ofSeconds(3));
    hold(2, ALICE, Duration.ofSeconds(5));
    hold(3, BOB, Duration.ofSeconds(5));

    assertThat(quorum.run(store.remaining(A, ALICE)).value()).isEqualTo(Duration.ofSeconds(3));
    assertThat(quorum.run(store.remaining(A, BOB)).value()).isZero();
  }

  @Test
  void aKeyThatOnlyAMinorityHasIsShownAsFreeAndCanBeFreed() {
    hold(2, BOB, TTL);

    assertThat(quorum.run(store.inspect("a")).values).isEmpty();
    assertThat(quorum.run(store.forceRelease("a")).value()).isTrue();
    assertThat(quorum.free()).containsExactly(1, 2, 3);
  }

  @Test
  void fiveMembersSurviveTheLossOfTwo() {
    VirtualQuorum five = new VirtualQuorum(5);
    QuorumLockStore store = five.store();
    five.member(1).is(down());
    five.member(4).is(down());
    assertThat(isGranted(five.acquire(store, ALICE))).isTrue();

    five.member(2).is(down());
    assertThat(five.run(store.extend(A, ALICE, TTL)).failure())
        .hasMessageContaining("2 of 5")
        .hasMessageContaining("3 are needed");
  }
}
