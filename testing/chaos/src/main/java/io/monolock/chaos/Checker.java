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
 * Reads the events of the workers and finds broken guarantees.
 *
 * <p>Only certain violations count. A handle is valid from when it was received until it was last
 * seen valid, so a frozen client claims no validity for that time unless its handle is still valid
 * afterwards. A violation that {@link #soFar} finds in a part of the history is one in all of it.
 *
 * <p>Where replication is asynchronous, a fail-over may lose the last writes. One key may then have
 * two holders, and a released lock may still exist: that is excused, and counted, if there was such
 * a fail-over of its key at that time. All else is a violation, fencing tokens included.
 */
final class Checker {

  /**
   * How long a body may run after its lock is lost, not counting the time in which its threads did
   * not run.
   */
  static final Duration NOTIFIED_WITHIN = Duration.ofMillis(100);

  static final String EXCLUSION = "no two handles are valid at one instant on one key";
  static final String TOKENS = "fencing tokens strictly increase in the order of grants";
  static final String NOTIFIED = "no lock is lost without its holder being notified";
  static final String STAYS_INVALID = "a handle that was invalid never becomes valid again";
  static final String ONE_OUTCOME = "every caller gets exactly one outcome";
  static final String NOTHING_LEFT = "no lock is left when all clients have closed";
  static final String OWN_ERRORS = "every error is one of the library's own";

  private final List<LossyFailOver> lossyFailOvers;
  private final Duration longestTtl;

  /**
   * Creates a checker.
   *
   * @param lossyFailOvers the fail-overs that may have lost writes
   * @param longestTtl the longest ttl of any lock
   */
  Checker(List<LossyFailOver> lossyFailOvers, Duration longestTtl) {
    this.lossyFailOvers = List.copyOf(lossyFailOvers);
    this.longestTtl = longestTtl;
  }

  /** Checks a history while calls are still under way. */
  Findings soFar(History history) {
    Findings.Builder found = new Findings.Builder();
    exclusion(history, found);
    found.addAll(tokens(history));
    found.addAll(lateNotifications(history));
    found.addAll(outcomes(history, false));
    return found.build();
  }

  /**
   * Checks a history when all calls should have ended.
   *
   * @param keysLeft the keys that still exist, too early to have expired
   * @param now when they were read
   */
  Findings finished(History history, List<String> keysLeft, long now) {
    Findings.Builder found = new Findings.Builder();
    exclusion(history, found);
    found.addAll(tokens(history));
    found.addAll(lateNotifications(history));
    found.addAll(outcomes(history, true));
    left(keysLeft, now, found);
    return found.build();
  }

  private void exclusion(History history, Findings.Builder found) {
    inOrderOfGrants(history)
        .forEach(
            (key, holders) -> {
              List<HandleHeld> valid = new ArrayList<>();
              for (HandleHeld next : holders) {
                valid.removeIf(held -> held.validUntil() <= next.at());
                for (HandleHeld held : valid) {
                  if (held.at() < next.validUntil()) {
                    found.add(
                        new Violation(EXCLUSION, List.of(held, next)),
                        lossyFailOvers.stream()
                            .filter(failOver -> failOver.explains(key, held, next))
                            .findFirst());
                  }
                }
                valid.add(next);
              }
            });
  }

  /**
   * A lock was granted before another one if it was received before the other one was requested.
   */
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

  /** For each key the handles that certainly held it, in the order in which they were received. */
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

  private static List<Violation> lateNotifications(History history) {
    List<Violation> found = new ArrayList<>();
    for (HandleHeld held : history.held()) {
      if (held.revived()) {
        found.add(new Violation(STAYS_INVALID, List.of(held)));
      }
      if (held.listens()
          && held.invalidSince() != HandleHeld.NEVER
          && held.notified() - held.invalidSince() - held.late() > NOTIFIED_WITHIN.toNanos()) {
        found.add(new Violation(NOTIFIED, List.of(held)));
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
      long signals =
          ended.stream().filter(end -> !end.outcome().equals(CallEnded.CANCELLED)).count();
      if (signals > 1 || (isFinished && ended.isEmpty())) {
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
          lossyFailOvers.stream()
              .filter(failOver -> failOver.explainsKeyLeft(key, now, longestTtl))
              .findFirst());
    }
  }

  private static boolean isForeign(String outcome) {
    return outcome.contains(".")
        && !outcome.startsWith(LockException.class.getPackageName() + ".Lock");
  }
}
