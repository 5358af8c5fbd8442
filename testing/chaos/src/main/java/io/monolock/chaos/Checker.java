// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.LockException;
import io.monolock.chaos.CallEvent.CallBegan;
import io.monolock.chaos.CallEvent.CallEnded;
import io.monolock.chaos.CallEvent.HandleHeld;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what the workers wrote down and says which guarantees were broken.
 *
 * <p>Only what is certain counts. A handle is valid from when it was received until it was last
 * seen valid, so a client that was frozen claims nothing for that time unless it still trusts its
 * lock afterwards. What {@link #soFar} finds in a part of the history is a violation in all of it.
 *
 * <p>Where replication is asynchronous, a fail-over may lose what was written last. Two may then
 * hold one key, and a lock that was released may still be there: that is excused, and counted, when
 * there was such a fail-over of its key at that time. Nothing else is, fencing tokens included.
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

  private final List<LossyFailOver> losses;
  private final Duration longestTtl;

  /**
   * Knows what excuses.
   *
   * @param losses the fail-overs that may have lost writes
   * @param longestTtl the longest one of any lock
   */
  Checker(List<LossyFailOver> losses, Duration longestTtl) {
    this.losses = List.copyOf(losses);
    this.longestTtl = longestTtl;
  }

  /** What can be said while calls are still under way. */
  Findings soFar(History history) {
    Findings.Builder found = new Findings.Builder();
    exclusion(history, found);
    found.addAll(tokens(history));
    found.addAll(told(history));
    found.addAll(outcomes(history, false));
    return found.build();
  }

  /**
   * What can be said when all calls should have ended.
   *
   * @param keysLeft the locks that there still are, too early to have ended by themselves
   * @param now when they were seen
   */
  Findings finished(History history, List<String> keysLeft, long now) {
    Findings.Builder found = new Findings.Builder();
    exclusion(history, found);
    found.addAll(tokens(history));
    found.addAll(told(history));
    found.addAll(outcomes(history, true));
    left(keysLeft, now, found);
    return found.build();
  }

  private void exclusion(History history, Findings.Builder found) {
    inOrderOfGrants(history)
        .forEach(
            (key, holders) -> {
              List<HandleHeld> present = new ArrayList<>();
              for (HandleHeld next : holders) {
                present.removeIf(held -> held.validUntil() <= next.at());
                for (HandleHeld held : present) {
                  if (held.at() < next.validUntil()) {
                    found.add(
                        new Violation(EXCLUSION, List.of(held, next)),
                        losses.stream().filter(loss -> loss.explains(key, held, next)).findFirst());
                  }
                }
                present.add(next);
              }
            });
  }

  /** One was granted before another when it was received before the other was asked for. */
  private static List<Violation> tokens(History history) {
    List<Violation> found = new ArrayList<>();
    for (List<HandleHeld> holders : inOrderOfGrants(history).values()) {
      Deque<HandleHeld> received = new ArrayDeque<>(holders);
      HandleHeld highest = null;
      List<HandleHeld> inOrderOfCommands = new ArrayList<>(holders);
      inOrderOfCommands.sort(Comparator.comparingLong(HandleHeld::sent));
      for (HandleHeld next : inOrderOfCommands) {
        while (!received.isEmpty() && received.element().at() < next.sent()) {
          HandleHeld earlier = received.remove();
          highest = highest == null || earlier.fence() > highest.fence() ? earlier : highest;
        }
        if (highest != null && next.fence() <= highest.fence()) {
          found.add(new Violation(TOKENS, List.of(highest, next)));
        }
      }
    }
    return found;
  }

  /** For each key those who certainly held it, by when they received it. */
  private static Map<String, List<HandleHeld>> inOrderOfGrants(History history) {
    Map<String, List<HandleHeld>> byKey = new HashMap<>();
    for (HandleHeld held : history.held()) {
      if (held.wasValid()) {
        held.keys().forEach(key -> byKey.computeIfAbsent(key, any -> new ArrayList<>()).add(held));
      }
    }
    byKey.values().forEach(holders -> holders.sort(Comparator.comparingLong(HandleHeld::at)));
    return byKey;
  }

  private static List<Violation> told(History history) {
    List<Violation> found = new ArrayList<>();
    for (HandleHeld held : history.held()) {
      if (held.revived()) {
        found.add(new Violation(FOR_GOOD, List.of(held)));
      }
      if (held.listens()
          && held.invalidSince() != HandleHeld.NEVER
          && held.told() - held.invalidSince() - held.late() > TOLD_WITHIN.toNanos()) {
        found.add(new Violation(TOLD, List.of(held)));
      }
    }
    return found;
  }

  private static List<Violation> outcomes(History history, boolean isFinished) {
    Map<String, List<CallEnded>> byCall = new HashMap<>();
    List<Violation> found = new ArrayList<>();
    for (CallEnded ended : history.ended()) {
      byCall.computeIfAbsent(ended.call(), any -> new ArrayList<>()).add(ended);
      if (isForeign(ended.outcome())) {
        found.add(new Violation(OWN_ERRORS, List.of(ended)));
      }
    }
    for (CallBegan began : history.began()) {
      List<CallEnded> ended = byCall.getOrDefault(began.call(), List.of());
      // a signal may be under way when the caller cancels
      long told = ended.stream().filter(end -> !end.outcome().equals(CallEnded.CANCELLED)).count();
      if (told > 1 || (isFinished && ended.isEmpty())) {
        List<CallEvent> events = new ArrayList<>(ended);
        events.add(began);
        found.add(new Violation(ONE_OUTCOME, events));
      }
    }
    return found;
  }

  private void left(List<String> keys, long now, Findings.Builder found) {
    for (String key : keys) {
      found.add(
          new Violation(NOTHING_LEFT + ", was " + key, List.of()),
          losses.stream().filter(loss -> loss.explainsKeyLeft(key, now, longestTtl)).findFirst());
    }
  }

  private static boolean isForeign(String outcome) {
    return outcome.contains(".")
        && !outcome.startsWith(LockException.class.getPackageName() + ".Lock");
  }
}
