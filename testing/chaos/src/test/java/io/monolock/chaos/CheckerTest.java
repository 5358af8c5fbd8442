// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.chaos.CallEvent.CallBegan;
import io.monolock.chaos.CallEvent.CallEnded;
import io.monolock.chaos.CallEvent.HandleHeld;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories made by hand, for each rule one that keeps it and one that breaks it. */
class CheckerTest {

  private static final String LOST = "io.monolock.LockLostException EXPIRED";
  private static final Duration TTL = Duration.ofNanos(100);
  private static final long LIMIT = Checker.NOTIFIED_WITHIN.toNanos();

  private static HandleHeld held(String call, long fence, long from, long until, String... keys) {
    return new HandleHeld(
        from, from, call, List.of(keys), fence, until, HandleHeld.NEVER, until, 0, true, false);
  }

  private static HandleHeld lost(long invalidSince, long notified, long late, boolean listens) {
    return new HandleHeld(
        0, 0, "x", List.of("a"), 1, 5, invalidSince, notified, late, listens, false);
  }

  private static List<String> brokenRules(CallEvent... events) {
    return rules(finished(History.of(events), List.of()));
  }

  private static List<String> rules(List<Violation> violations) {
    return violations.stream().map(Violation::rule).toList();
  }

  private static List<Violation> finished(History history, List<String> keysLeft) {
    return new Checker(List.of(), TTL).finished(history, keysLeft, 0).violations();
  }

  private static List<Violation> soFar(History history) {
    return new Checker(List.of(), TTL).soFar(history).violations();
  }

  @Test
  void holdersOneAfterTheOtherAreRight() {
    assertThat(brokenRules(held("x", 1, 0, 10, "a"), held("y", 2, 10, 20, "a"))).isEmpty();
  }

  @Test
  void holdersOfDifferentKeysAreRight() {
    assertThat(brokenRules(held("x", 1, 0, 10, "a"), held("y", 1, 5, 20, "b"))).isEmpty();
  }

  @Test
  void twoHoldersAtOnceAreAViolation() {
    HandleHeld first = held("x", 1, 0, 10, "a");
    HandleHeld second = held("y", 2, 9, 20, "a");
    assertThat(soFar(History.of(second, first)))
        .containsExactly(new Violation(Checker.EXCLUSION, List.of(first, second)));
  }

  @Test
  void aHolderOfTwoKeysExcludesThoseOfEach() {
    assertThat(brokenRules(held("x", 1, 0, 10, "a", "b"), held("y", 2, 5, 6, "b")))
        .containsExactly(Checker.EXCLUSION);
  }

  @Test
  void aLongHolderIsComparedWithAllThatComeLater() {
    assertThat(
            brokenRules(
                held("x", 1, 0, 100, "a"), held("y", 2, 10, 20, "a"), held("z", 3, 30, 40, "a")))
        .containsExactly(Checker.EXCLUSION, Checker.EXCLUSION);
  }

  @Test
  void aHandleThatNeverWasValidExcludesNoOther() {
    HandleHeld never =
        new HandleHeld(5, 5, "x", List.of("a"), 9, HandleHeld.NEVER, 5, 6, 0, true, false);
    assertThat(brokenRules(never, held("y", 2, 0, 10, "a"))).isEmpty();
  }

  @Test
  void aFencingTokenThatDoesNotIncreaseIsAViolation() {
    assertThat(brokenRules(held("x", 2, 0, 10, "a"), held("y", 2, 10, 20, "a")))
        .containsExactly(Checker.TOKENS);
    assertThat(brokenRules(held("x", 2, 0, 10, "a", "b"), held("y", 1, 10, 20, "b")))
        .containsExactly(Checker.TOKENS);
  }

  @Test
  void aGrantWhoseAnswerCameLateMayBeTheOlderOne() {
    HandleHeld late =
        new HandleHeld(12, 1, "x", List.of("a"), 1, 13, HandleHeld.NEVER, 13, 0, true, false);
    assertThat(brokenRules(held("y", 2, 5, 11, "a"), late)).isEmpty();
  }

  @Test
  void aFencingTokenIsComparedWithTheHighestOfAllBefore() {
    assertThat(
            brokenRules(
                held("x", 5, 0, 10, "a"), held("y", 2, 10, 20, "a"), held("z", 3, 20, 30, "a")))
        .containsExactly(Checker.TOKENS, Checker.TOKENS);
  }

  @Test
  void aLossThatIsNotifiedInTimeIsRight() {
    assertThat(brokenRules(lost(10, 10 + LIMIT, 0, true))).isEmpty();
  }

  @Test
  void aLossThatIsNotifiedLateIsAViolation() {
    assertThat(brokenRules(lost(10, 11 + LIMIT, 0, true))).containsExactly(Checker.NOTIFIED);
  }

  @Test
  void theTimeInWhichNoThreadRanDoesNotCount() {
    long frozen = Duration.ofSeconds(1).toNanos();
    assertThat(brokenRules(lost(10, 10 + LIMIT + frozen, frozen, true))).isEmpty();
  }

  @Test
  void aHolderThatPollsItsHandleNeedsNoNotification() {
    assertThat(brokenRules(lost(10, 11 + LIMIT, 0, false))).isEmpty();
  }

  @Test
  void aHandleThatBecomesValidAgainIsAViolation() {
    assertThat(brokenRules(new HandleHeld(0, 0, "x", List.of("a"), 1, 5, 3, 6, 0, true, true)))
        .containsExactly(Checker.STAYS_INVALID);
  }

  @Test
  void oneOutcomeIsRight() {
    assertThat(brokenRules(new CallBegan(0, "x", "any"), new CallEnded(1, "x", LOST))).isEmpty();
    assertThat(
            brokenRules(new CallBegan(0, "x", "any"), new CallEnded(1, "x", CallEnded.CANCELLED)))
        .isEmpty();
  }

  @Test
  void aSignalThatWasUnderWayWhenItsCallerCancelledIsRight() {
    assertThat(
            brokenRules(
                new CallBegan(0, "x", "any"),
                new CallEnded(1, "x", CallEnded.CANCELLED),
                new CallEnded(2, "x", CallEnded.VALUE)))
        .isEmpty();
  }

  @Test
  void twoOutcomesAreAViolation() {
    assertThat(
            brokenRules(
                new CallBegan(0, "x", "any"),
                new CallEnded(1, "x", CallEnded.VALUE),
                new CallEnded(2, "x", LOST)))
        .containsExactly(Checker.ONE_OUTCOME);
  }

  @Test
  void noOutcomeIsAViolationOnlyWhenAllShouldHaveEnded() {
    History history = History.of(new CallBegan(0, "x", "any"));
    assertThat(soFar(history)).isEmpty();
    assertThat(finished(history, List.of()))
        .extracting(Violation::rule)
        .containsExactly(Checker.ONE_OUTCOME);
  }

  @Test
  void aKeyThatIsLeftIsAViolation() {
    assertThat(finished(History.of(), List.of("a")))
        .extracting(Violation::rule)
        .containsExactly(Checker.NOTHING_LEFT + ", was a");
  }

  @Test
  void anErrorOfAnotherLibraryIsAViolation() {
    assertThat(
            brokenRules(
                new CallBegan(0, "x", "any"),
                new CallEnded(1, "x", "java.util.concurrent.CancellationException")))
        .containsExactly(Checker.OWN_ERRORS);
    assertThat(
            brokenRules(
                new CallBegan(0, "x", "any"),
                new CallEnded(1, "x", "io.monolock.store.StoreFailure")))
        .containsExactly(Checker.OWN_ERRORS);
  }
}
