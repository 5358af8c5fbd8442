// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.simulation.check.Violation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Fixed seeds; those that change are run by hand. */
class SimulationTest {

  private static final int SEEDS = 1_500;
  private static final int THOROUGH_SEEDS = 10_000;
  private static final int ENOUGH_SEEDS = 20_000;

  private final StringWriter out = new StringWriter();

  private int run(String... options) {
    CommandLine commandLine = Simulation.commandLine();
    commandLine.setOut(new PrintWriter(out, true));
    return commandLine.execute(options);
  }

  @Test
  void noPromiseIsBrokenButThoseThatAreKnownToBe() {
    assertThat(run("--seeds=" + SEEDS)).as("%s", out).isZero();
  }

  @Test
  @Tag("thorough")
  void noPromiseIsBrokenInMoreSeeds() {
    assertThat(run("--seeds=" + SEEDS + ".." + THOROUGH_SEEDS)).as("%s", out).isZero();
  }

  @Test
  void aSeedTellsTheSameStoryTwice() {
    for (long seed = 1; seed <= 20; seed++) {
      Plan plan = Plan.of(seed);
      List<String> story = story(plan);
      assertThat(story).hasSizeGreaterThan(10).isEqualTo(story(Plan.of(seed)));
    }
  }

  private static List<String> story(Plan plan) {
    return Fleet.run(plan, true, KnownFailures.load(), Plant.NONE).story().about("");
  }

  @ParameterizedTest
  @EnumSource(value = Plant.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
  void aPlantedFaultIsFoundByItsRule(Plant plant) {
    Set<String> known = KnownFailures.load();
    known.removeIf(signature -> signature.startsWith(plant.rule()));
    for (long seed = 1; seed <= ENOUGH_SEEDS; seed++) {
      Violation violation = Fleet.run(Plan.of(seed), false, known, plant).violation();
      if (violation != null && violation.rule().equals(plant.rule())) {
        return;
      }
    }
    throw new AssertionError(plant + " was not found in " + ENOUGH_SEEDS + " seeds");
  }

  @Test
  void aFailingRunIsCutDownAndToldWithItsKey() {
    assertThat(run("--replay=1", "--plant=KEPT_IS_FREED", "--strict")).isIn(0, Simulation.BROKEN);
    assertThat(out.toString()).contains("Swarm[");
  }

  @Test
  void aWrongRangeOfSeedsIsRefused() {
    assertThat(run("--seeds=many")).isEqualTo(CommandLine.ExitCode.USAGE);
  }
}
