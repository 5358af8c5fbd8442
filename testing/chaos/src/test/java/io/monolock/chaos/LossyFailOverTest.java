// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.chaos.CallEvent.HandleHeld;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The violations that a fail-over of the key {@code a} excuses, and others. */
class LossyFailOverTest {

  private static final Duration TTL = Duration.ofNanos(1_000);
  private static final LossyFailOver FAIL_OVER = new LossyFailOver(Set.of("a"), 100, 200, "node 4");

  private static HandleHeld held(long fence, long sent, long at, long until, String key) {
    return new HandleHeld(
        at, sent, "call", List.of(key), fence, until, HandleHeld.NEVER, until, 0, true, false);
  }

  private static Findings found(CallEvent... events) {
    return new Checker(List.of(FAIL_OVER), TTL).finished(History.of(events), List.of(), 500);
  }

  private static Findings left(long now, String... keys) {
    return new Checker(List.of(FAIL_OVER), TTL).finished(History.of(), List.of(keys), now);
  }

  private static void assertExcused(Findings findings) {
    assertThat(findings.violations()).isEmpty();
    assertThat(findings.excused())
        .extracting(Findings.Excused::failOver)
        .containsExactly(FAIL_OVER);
  }

  private static void assertViolated(String rule, Findings findings) {
    assertThat(findings.violations()).extracting(Violation::rule).containsExactly(rule);
    assertThat(findings.excused()).isEmpty();
  }

  @Test
  void aLockThatWasNotReplicatedToTheNewMaster() {
    assertExcused(found(held(1, 50, 60, 400, "a"), held(2, 300, 310, 320, "a")));
  }

  @Test
  void aLockOfAMasterThatIsReplacedAndStillActive() {
    assertExcused(found(held(1, 150, 160, 400, "a"), held(2, 170, 180, 190, "a")));
  }

  @Test
  void aGrantOfTheFormerMasterThatArrivesLate() {
    assertExcused(found(held(2, 210, 220, 400, "a"), held(1, 190, 230, 240, "a")));
  }

  @Test
  void notTwoLocksFromBeforeTheFailOver() {
    assertViolated(Checker.EXCLUSION, found(held(1, 50, 60, 400, "a"), held(2, 80, 90, 95, "a")));
  }

  @Test
  void notTwoLocksFromAfterTheFailOver() {
    assertViolated(
        Checker.EXCLUSION, found(held(1, 210, 220, 400, "a"), held(2, 230, 240, 250, "a")));
  }

  @Test
  void notALockOfAnotherKey() {
    assertViolated(
        Checker.EXCLUSION, found(held(1, 50, 60, 400, "b"), held(2, 300, 310, 320, "b")));
  }

  @Test
  void notAFencingTokenThatIsLower() {
    Findings findings = found(held(2, 50, 60, 400, "a"), held(1, 300, 310, 320, "a"));
    assertThat(findings.violations()).extracting(Violation::rule).containsExactly(Checker.TOKENS);
    assertThat(findings.excused()).hasSize(1);
  }

  @Test
  void aReleaseThatWasNotReplicatedToTheNewMaster() {
    assertExcused(left(1_199, "a"));
  }

  @Test
  void notAKeyThatIsLeftLongerThanAnyTtl() {
    assertViolated(Checker.NOTHING_LEFT + ", was a", left(1_200, "a"));
  }

  @Test
  void notAnotherKeyThatIsLeft() {
    assertViolated(Checker.NOTHING_LEFT + ", was b", left(300, "b"));
  }

  @Test
  void aFailOverThatIsNotOverHasNoEnd() {
    LossyFailOver open = new LossyFailOver(Set.of("a"), 100, LossyFailOver.NOT_YET, "node 4");
    assertThat(
            open.explains(
                "a", held(1, 1_000, 1_010, 2_000, "a"), held(2, 1_020, 1_030, 2_000, "a")))
        .isTrue();
    assertThat(open.explainsKeyLeft("a", 1_000_000, TTL)).isTrue();
  }
}
