// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.check.Sometimes;
import io.monolock.simulation.check.Violation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Many seeds, one after the other, and what they have shown. */
final class Batch {

  private static final int TWICE_EACH = 100;
  private static final int ENOUGH_TO_REACH_ALL = 2_000;

  private final Set<String> tolerated;
  private final Plant plant;
  private final Sometimes sometimes = new Sometimes();
  private final List<Long> commands = new ArrayList<>();
  private final List<Long> faults = new ArrayList<>();
  private final Map<String, Finding> findings = new LinkedHashMap<>();
  private final Map<String, long[]> known = new TreeMap<>();
  private long beganAt = System.nanoTime();

  /** The first seed that shows something, and how many do. */
  record Finding(long seed, Violation violation, int times) {}

  Batch(Set<String> tolerated, Plant plant) {
    this.tolerated = tolerated;
    this.plant = plant;
  }

  /** Runs one seed; some twice, to see that they tell the same story. */
  void run(long seed) {
    Plan plan = Plan.of(seed);
    boolean twice = seed % TWICE_EACH == 0;
    Fleet.Outcome outcome = Fleet.run(plan, twice, tolerated, plant);
    if (twice) {
      compare(seed, outcome, Fleet.run(plan, true, tolerated, plant));
    }
    sometimes.add(outcome.sometimes());
    outcome.seen().forEach(signature -> known.merge(signature, new long[] {seed, 1}, Batch::more));
    Violation violation = outcome.violation();
    if (violation != null) {
      found(seed, violation);
    } else {
      commands.add(outcome.commands());
      faults.add(outcome.faults());
    }
  }

  private static long[] more(long[] first, long[] again) {
    return new long[] {first[0], first[1] + again[1]};
  }

  private void compare(long seed, Fleet.Outcome first, Fleet.Outcome second) {
    List<String> one = first.story().about("");
    List<String> two = second.story().about("");
    if (!one.equals(two)) {
      int i = 0;
      while (i < Math.min(one.size(), two.size()) && one.get(i).equals(two.get(i))) {
        i++;
      }
      String line = i < one.size() ? one.get(i) : "the end";
      found(seed, new Violation("Determinism: two runs of a seed differ", "", line, 0));
    }
  }

  private void found(long seed, Violation violation) {
    findings.merge(
        violation.signature(),
        new Finding(seed, violation, 1),
        (known, again) -> new Finding(known.seed, known.violation, known.times + 1));
  }

  /** What is known and was seen again: the first seed and how many, by signature. */
  Map<String, long[]> known() {
    return known;
  }

  /** What was found, by signature. */
  Map<String, Finding> findings() {
    return findings;
  }

  /** Rare states that were not reached, though the batch was large enough. */
  List<Sometimes.State> missed() {
    return commands.size() < ENOUGH_TO_REACH_ALL ? List.of() : sometimes.missed();
  }

  double seedsPerSecond() {
    int seeds = commands.size() + findings.values().stream().mapToInt(Finding::times).sum();
    return seeds / ((System.nanoTime() - beganAt) / 1e9);
  }

  String summary() {
    return "%.0f seeds/s; of a fleet in the median %d commands and %d faults%nstates %s"
        .formatted(seedsPerSecond(), median(commands), median(faults), sometimes);
  }

  private static long median(List<Long> numbers) {
    List<Long> sorted = numbers.stream().sorted().toList();
    return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
  }
}
