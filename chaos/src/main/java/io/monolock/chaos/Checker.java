// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.LockException;
import io.monolock.chaos.Event.Began;
import io.monolock.chaos.Event.Ended;
import io.monolock.chaos.Event.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Reads what the workers wrote down and says which guarantees were broken.
 *
 * <p>Only what is certain counts. A handle is valid from when it was received until it was last
 * seen valid, so a client that was frozen claims nothing for that time unless it still trusts its
 * lock afterwards. What {@link #soFar} finds in a part of the history is a violation in all of it.
 */
final class Checker {

  /** How long a body may run under a lost lock, besides the time that its threads did not run. */
  static final Duration TOLD_WITHIN = Duration.ofMillis(100);

  static final String EXCLUSION = "no two handles are valid at one instant on one key";
  static final String TOKENS = "fencing tokens strictly increase in the order of grants";
  static final String TOLD = "no lock is lost without its holder being told";
  static final String FOR_GOOD = "a handle that was invalid never becomes valid again";
  static final String ONE_OUTCOME = "every caller gets exactly one outcome";
  static final String NOTHING_LEFT = "no lock is left when all clients have closed";
  static final String OWN_ERRORS = "every error is one of the library's own";

  private Checker() {}

  /** What can be said while calls are still under way. */
  static List<Violation> soFar(History history) {
    return Stream.of(exclusion(history), tokens(history), told(history), outcomes(history, false))
        .flatMap(List::stream)
        .toList();
  }

  /**
   * What can be said when all calls should have ended.
   *
   * @param keysLeft the locks that there still are, too early to have ended by themselves
   */
  static List<Violation> finished(History history, List<String> keysLeft) {
    return Stream.of(
            exclusion(history),
            tokens(history),
            told(history),
            outcomes(history, true),
            left(keysLeft))
        .flatMap(List::stream)
        .toList();
  }

  private static List<Violation> exclusion(History history) {
    List<Violation> found = new ArrayList<>();
    for (List<Held> holders : inOrderOfGrants(history)) {
      Held last = holders.get(0);
      for (Held next : holders.subList(1, holders.size())) {
        if (next.at() < last.validUntil() && last.at() < next.validUntil()) {
          found.add(new Violation(EXCLUSION, List.of(last, next)));
        }
        if (next.validUntil() > last.validUntil()) {
          last = next;
        }
      }
    }
    return found;
  }

  private static List<Violation> tokens(History history) {
    List<Violation> found = new ArrayList<>();
    for (List<Held> holders : inOrderOfGrants(history)) {
      for (int i = 1; i < holders.size(); i++) {
        Held earlier = holders.get(i - 1);
        Held later = holders.get(i);
        if (later.fence() <= earlier.fence()) {
          found.add(new Violation(TOKENS, List.of(earlier, later)));
        }
      }
    }
    return found;
  }

  /** For each key those who certainly held it, by when they received it. */
  private static List<List<Held>> inOrderOfGrants(History history) {
    Map<String, List<Held>> byKey = new HashMap<>();
    for (Held held : history.held()) {
      if (held.wasValid()) {
        held.keys().forEach(key -> byKey.computeIfAbsent(key, any -> new ArrayList<>()).add(held));
      }
    }
    byKey.values().forEach(holders -> holders.sort(Comparator.comparingLong(Held::at)));
    return List.copyOf(byKey.values());
  }

  private static List<Violation> told(History history) {
    List<Violation> found = new ArrayList<>();
    for (Held held : history.held()) {
      if (held.revived()) {
        found.add(new Violation(FOR_GOOD, List.of(held)));
      }
      if (held.listens()
          && held.invalidSince() != Held.NEVER
          && held.told() - held.invalidSince() - held.late() > TOLD_WITHIN.toNanos()) {
        found.add(new Violation(TOLD, List.of(held)));
      }
    }
    return found;
  }

  private static List<Violation> outcomes(History history, boolean isFinished) {
    Map<String, List<Ended>> byCall = new HashMap<>();
    List<Violation> found = new ArrayList<>();
    for (Ended ended : history.ended()) {
      byCall.computeIfAbsent(ended.call(), any -> new ArrayList<>()).add(ended);
      if (isForeign(ended.outcome())) {
        found.add(new Violation(OWN_ERRORS, List.of(ended)));
      }
    }
    for (Began began : history.began()) {
      List<Ended> ended = byCall.getOrDefault(began.call(), List.of());
      // a signal may be under way when the caller cancels
      long told = ended.stream().filter(end -> !end.outcome().equals(Ended.CANCELLED)).count();
      if (told > 1 || (isFinished && ended.isEmpty())) {
        List<Event> events = new ArrayList<>(ended);
        events.add(began);
        found.add(new Violation(ONE_OUTCOME, events));
      }
    }
    return found;
  }

  private static List<Violation> left(List<String> keys) {
    return keys.isEmpty()
        ? List.of()
        : List.of(new Violation(NOTHING_LEFT + ", was " + keys, List.of()));
  }

  private static boolean isForeign(String outcome) {
    return outcome.contains(".")
        && !outcome.startsWith(LockException.class.getPackageName() + ".Lock");
  }
}
