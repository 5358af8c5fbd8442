// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.test.CommandLineProgram;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/**
 * Runs of the program; the long one that must pass takes {@code -Dchaos.seconds}, 60 by default.
 */
class ChaosTest {

  private static final String SEED = System.getProperty("chaos.seed", "1");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... options) {
    CommandLine commandLine = Chaos.commandLine();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(options);
  }

  @Test
  @Tag("thorough")
  @Timeout(value = 100_000, threadMode = Timeout.ThreadMode.SAME_THREAD)
  void noGuaranteeIsBroken() {
    assertNoGuaranteeIsBroken("--seconds=" + System.getProperty("chaos.seconds", "60"));
  }

  @Test
  void noGuaranteeIsBrokenInSomeSeconds() {
    assertNoGuaranteeIsBroken("--seconds=5");
  }

  private void assertNoGuaranteeIsBroken(String... options) {
    int exitCode =
        run(Stream.concat(Stream.of(options), Stream.of("--seed=" + SEED)).toArray(String[]::new));
    assertThat(exitCode).as("%s%s", out, err).isZero();
    assertThat(out.toString()).endsWith("No guarantee was broken.%n".formatted());
  }

  @Test
  @Tag("thorough")
  void aDeadlineThatCountsFromTheAnswerIsCaught() {
    assertThat(run("--seconds=50", "--break=deadline"))
        .as("%s%s", out, err)
        .isEqualTo(Chaos.BROKEN);
    assertThat(out.toString()).contains("Violated: " + Checker.EXCLUSION);
  }

  @Test
  @Tag("thorough")
  void aReleaseWithoutTheTokenIsCaught() {
    assertThat(run("--seconds=50", "--break=token")).as("%s%s", out, err).isEqualTo(Chaos.BROKEN);
    assertThat(out.toString()).contains("Violated: " + Checker.EXCLUSION);
  }

  /** Longer runs are made by hand. */
  @ParameterizedTest
  @EnumSource(value = ChaosTopology.class, names = "STANDALONE", mode = EnumSource.Mode.EXCLUDE)
  @Tag("thorough")
  void noGuaranteeIsBrokenOnServersThatFailOver(ChaosTopology topology) {
    assertNoGuaranteeIsBroken("--seconds=3", "--topology=" + topology);
  }

  @Test
  @Tag("thorough")
  void membersOfAQuorumThatVoteThoughTheyHaveForgottenAreCaught() {
    assertThat(run("--seconds=100", "--topology=quorum", "--wiped-votes"))
        .as("%s%s", out, err)
        .isEqualTo(Chaos.BROKEN);
    assertThat(out.toString()).contains("Violated: " + Checker.EXCLUSION);
  }

  @Test
  void wipedMembersWithoutAQuorumAreRefused() {
    assertThat(run("--wiped-votes")).isEqualTo(CommandLineProgram.WRONG_OPTION);
    assertThat(err.toString()).startsWith("--wiped-votes needs --topology quorum, was standalone");
  }

  @Test
  void anotherTopologyIsRefused() {
    assertThat(run("--topology=ring")).isEqualTo(CommandLineProgram.WRONG_OPTION);
    assertThat(err.toString()).contains("--topology").contains("STANDALONE");
  }

  @Test
  void anOptionOutOfRangeIsRefused() {
    assertThat(run("--clients=0")).isEqualTo(CommandLineProgram.WRONG_OPTION);
    assertThat(err.toString()).startsWith("--clients must be between 1 and 32, was 0");
  }

  @Test
  void helpListsTheOptions() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("--seconds", "--seed", "--break", "Exit codes:");
  }
}
