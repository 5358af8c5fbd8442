// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.simulation.check.Violation;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every rule finds the fault that is planted for it. */
class PlantTest {

  /** Seeds that are tried, the first one of which is enough for most. */
  private static final int MOST_SEEDS = 20_000;

  /** Where a search begins that would take long from the first seed on. */
  private static final Map<Plant, Integer> FROM =
      Map.of(
          Plant.MEMBERS_ALWAYS_VOTE, 1_800,
          Plant.HOLDER_IS_ROBBED, 200,
          Plant.RELEASES_ARE_SWALLOWED, 160);

  @Tag("thorough")
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void itIsFound(Plant plant) {
    Set<String> known = KnownFailures.load();
    known.removeIf(signature -> signature.startsWith(plant.signature()));
    for (int seed = FROM.getOrDefault(plant, 1); seed <= MOST_SEEDS; seed++) {
      Violation violation = Fleet.run(Plan.of(seed), false, known, plant).violation();
      if (violation != null
          && violation.signature().startsWith(plant.signature())
          && Fleet.run(Plan.of(seed), false, known, Plant.NONE).violation() == null) {
        System.out.println(plant + " is found in " + seed + ": " + violation.signature());
        return;
      }
    }
    throw new AssertionError(plant + " is not found");
  }

  @Test
  void everyRuleHasOne() {
    Set<String> rules =
        Arrays.stream(Plant.values())
            .map(plant -> plant.signature().replaceAll(":.*", ""))
            .collect(Collectors.toCollection(TreeSet::new));
    assertThat(rules).containsAll(Fleet.ruleNames());
  }
}
