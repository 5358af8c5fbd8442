// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static io.monolock.quorum.TestMember.answerLost;
import static io.monolock.quorum.TestMember.down;
import static io.monolock.quorum.VirtualQuorum.A;
import static io.monolock.quorum.VirtualQuorum.ALICE;
import static io.monolock.quorum.VirtualQuorum.BOB;
import static io.monolock.quorum.VirtualQuorum.TTL;
import static io.monolock.quorum.VirtualQuorum.number;
import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import io.monolock.store.StoreProblem.Reason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Numbers of fenced locks, whose members disagree about them. */
class QuorumFencingTest {

  private static final LockKeys OTHER = LockKeys.of("other");

  private final VirtualQuorum quorum = new VirtualQuorum();
  private final QuorumLockStore store = quorum.store();

  private long fenced(String token) {
    return number(quorum.run(store.acquire(A, token, "", TTL, true)));
  }

  private void release(String token) {
    assertThat(quorum.run(store.release(A, token, Duration.ZERO)).value()).isTrue();
  }

  /** The clock of a member seems to be ahead: its numbers are higher than those of the others. */
  private void isAhead(int member, long micros) {
    LockStore memory = quorum.member(member).memory();
    memory.acquire(OTHER, ALICE, "", TTL, true).block();
    memory.raiseFence(OTHER, ALICE, micros).block();
    memory.release(OTHER, ALICE, Duration.ZERO).block();
  }

  @Test
  void numbersIncreaseWhateverMinorityIsDown() {
    isAhead(2, 1_000_000);
    isAhead(3, 5_000);
    long last = 0;
    for (int i = 0; i < 30; i++) {
      TestMember missing = quorum.member(1 + i * 7 % 3).is(down());
      String token = i % 2 == 0 ? ALICE : BOB;
      long number = fenced(token);
      assertThat(number).isGreaterThan(last);
      last = number;
      release(token);
      missing.isBack();
      quorum.pass(Duration.ofSeconds(2));
    }
  }

  @Test
  void theNumberIsKeptByAMajorityBeforeTheGrantIsGivenOut() {
    isAhead(2, 1_000_000);
    quorum.member(3).is(down());

    long number = fenced(ALICE);

    assertThat(number).isGreaterThan(1_000_000);
    quorum.member(1).memory().release(A, ALICE, Duration.ZERO).block();
    assertThat(
            ((io.monolock.store.Grant.Granted)
                    quorum.member(1).memory().acquire(A, BOB, "", TTL, true).block())
                .fencingToken())
        .hasValue(number + 1);
  }

  @Test
  void withoutAMajorityThatKeepsTheNumberNothingIsGranted() {
    isAhead(2, 1_000_000);
    quorum.member(3).is(down());
    // as the connection breaks between the grant and the number
    quorum
        .member(1)
        .is(
            new TestMember.Behavior() {
              private int calls;

              @Override
              public <T> Mono<T> apply(Mono<T> call) {
                // the grant, the number
                return ++calls == 2 ? answerLost().apply(Mono.<T>empty()) : call;
              }
            });

    assertThat(quorum.run(store.acquire(A, ALICE, "", TTL, true)).failure())
        .hasMessageContaining("1 of 3")
        .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.UNKNOWN_OUTCOME));

    assertThat(quorum.free()).containsExactly(1, 2, 3);
  }

  @Test
  void aRepeatedAcquisitionHasTheNumberThatAMajorityKeeps() {
    isAhead(3, 1_000_000);
    quorum.member(3).is(down());
    long number = fenced(ALICE);
    quorum.member(3).isBack();

    assertThat(number).isLessThan(1_000_000);
    assertThat(fenced(ALICE)).isEqualTo(number);
    assertThat(List.of(fenced(ALICE), fenced(ALICE))).containsOnly(number);
  }

  @Test
  void aRepeatedAcquisitionWaitsForTheMembersThatKnowItsNumber() {
    Duration late = Duration.ofMillis(10);
    isAhead(3, 1_000_000);
    fenced(BOB);
    release(BOB);
    quorum.member(3).is(TestMember.slow(late, late, quorum.time));
    long number = fenced(ALICE);
    quorum.pass(late.multipliedBy(10));
    quorum.member(3).isBack();
    quorum.member(2).is(TestMember.slow(late, late, quorum.time));

    VirtualQuorum.Result<io.monolock.store.Grant> repeated =
        quorum.runLong(store.acquire(A, ALICE, "", TTL, true));

    assertThat(number(repeated)).isEqualTo(number).isLessThan(1_000_000);
  }
}
