// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.LockLostException;
import io.monolock.chaos.CallEvent.CallBegan;
import io.monolock.chaos.CallEvent.CallEnded;
import io.monolock.chaos.CallEvent.HandleHeld;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Prints the figures, the faults and the violations of a run. */
final class ChaosReport {

  private static final int MOST_VIOLATIONS = 5;

  private final PrintWriter out;

  ChaosReport(PrintWriter out) {
    this.out = out;
  }

  void print(ChaosResult result) {
    out.println();
    History history = result.history();
    row("seconds", (long) result.seconds());
    row("calls", history.began().size());
    row("locks granted", history.held().stream().filter(HandleHeld::wasValid).count());
    row("longest wait for one, ms", longestWait(history));
    row("cancelled", count(history, CallEnded.CANCELLED));
    row("losses signalled", count(history, LockLostException.class.getName()));
    row(
        "locks seen lost while held",
        history.held().stream().filter(held -> held.invalidSince() != HandleHeld.NEVER).count());
    out.println("Outcomes");
    outcomes(history).forEach((outcome, count) -> row("  " + outcome, count));
    out.println("Faults");
    result.faults().forEach((fault, count) -> row("  " + fault, count));
    out.println();
    lossyFailOvers(result);
    List<Violation> violations = result.findings().violations();
    violations.stream().limit(MOST_VIOLATIONS).forEach(violation -> print(violation, result));
    if (violations.isEmpty()) {
      out.println("No guarantee was broken.");
    } else {
      out.printf("A GUARANTEE WAS BROKEN, %d times seen.%n", violations.size());
    }
    out.flush();
  }

  /** Prints each finding that asynchronous replication excuses. */
  private void lossyFailOvers(ChaosResult result) {
    List<LossyFailOver> lossyFailOvers = result.lossyFailOvers();
    if (!lossyFailOvers.isEmpty()) {
      List<Findings.Excused> excused = result.findings().excused();
      row("fail-overs that may have lost writes", lossyFailOvers.size());
      row(
          "how long those took, ms",
          lossyFailOvers.stream().mapToLong(LossyFailOver::millis).sum());
      row("lost by asynchronous replication", excused.size());
      excused.forEach(
          one ->
              out.printf(
                  "Lost by asynchronous replication: %s%s, as %s%n",
                  one.violation().rule(),
                  calls(one.violation()),
                  one.failOver().text(result.start())));
      out.println();
    }
  }

  private static String calls(Violation violation) {
    List<String> calls = violation.events().stream().map(CallEvent::call).toList();
    return calls.isEmpty() ? "" : ", were " + String.join(" and ", calls);
  }

  private void print(Violation violation, ChaosResult result) {
    out.printf("Violated: %s%n", violation.rule());
    result
        .history()
        .withContext(violation.events())
        .forEach(event -> out.println("  " + event.text(result.start())));
  }

  private void row(String what, long count) {
    out.printf(Locale.ROOT, "%-60s %,10d%n", what, count);
  }

  private static long count(History history, String outcome) {
    return history.ended().stream().filter(end -> end.outcome().startsWith(outcome)).count();
  }

  private static Map<String, Long> outcomes(History history) {
    return history.ended().stream()
        .collect(
            Collectors.groupingBy(
                end -> end.outcome().replaceFirst("^io\\.monolock\\.", ""),
                TreeMap::new,
                Collectors.counting()));
  }

  private static long longestWait(History history) {
    Map<String, Long> beganAt = new HashMap<>();
    for (CallBegan began : history.began()) {
      beganAt.put(began.call(), began.at());
    }
    List<HandleHeld> held = history.held();
    long longest =
        held.stream()
            .mapToLong(hold -> hold.at() - beganAt.getOrDefault(hold.call(), hold.at()))
            .max()
            .orElse(0);
    return Duration.ofNanos(longest).toMillis();
  }
}
