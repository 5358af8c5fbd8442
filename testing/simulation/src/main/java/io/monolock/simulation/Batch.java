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
  private final Map<String, Finding> known = new TreeMap<>();
  private final long beganAt = System.nanoTime();
  private int seeds;
  private long fingerprint;

  /** The first seed that shows something, how many do, and what the first one shows. */
  record Finding(long seed, int times, String text) {
    Finding plus(Finding more) {
      return new Finding(seed, times + more.times, text);
    }
  }

  Batch(Set<String> tolerated, Plant plant) {
    this.tolerated = tolerated;
    this.plant = plant;
  }

  /** Runs one seed; some twice, to see that they tell the same story. */
  void run(long seed) {
    seeds++;
    Plan plan = Plan.of(seed);
    boolean twice = seed % TWICE_EACH == 0;
    Fleet.Outcome outcome = Fleet.run(plan, twice, tolerated, plant);
    if (twice) {
      compare(seed, outcome, Fleet.run(plan, true, tolerated, plant));
    }
    sometimes.add(outcome.sometimes());
    for (String signature : outcome.seen()) {
      known.merge(signature, new Finding(seed, 1, signature), Finding::plus);
    }
    fingerprint = 31 * fingerprint + 7 * outcome.commands() + outcome.world().happened();
    commands.add(outcome.commands());
    faults.add(outcome.faults());
    Violation violation = outcome.violation();
    if (violation != null) {
      found(seed, violation);
    }
  }

  private void compare(long seed, Fleet.Outcome first, Fleet.Outcome second) {
    List<String> one = first.world().story("");
    List<String> two = second.world().story("");
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
        violation.signature(), new Finding(seed, 1, violation.toString()), Finding::plus);
  }

  /** What is known and was seen again, by signature. */
  Map<String, Finding> known() {
    return known;
  }

  /** What was found, by signature. */
  Map<String, Finding> findings() {
    return findings;
  }

  /** Rare states that were not reached, though the batch was large enough. */
  List<Sometimes.State> missed() {
    return seeds < ENOUGH_TO_REACH_ALL ? List.of() : sometimes.missed();
  }

  double seedsPerSecond() {
    return seeds / ((System.nanoTime() - beganAt) / 1e9);
  }

  String summary() {
    return "%d seeds, %.0f a second; of a fleet in the median %d commands and %d faults%nfingerprint %x%nreached %s"
        .formatted(
            seeds, seedsPerSecond(), median(commands), median(faults), fingerprint, sometimes);
  }

  private static long median(List<Long> numbers) {
    List<Long> sorted = numbers.stream().sorted().toList();
    return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
  }
}
