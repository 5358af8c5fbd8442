// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command line, as it is used. */
class SimulationTest {

  /** A fault that is found soon. */
  private static final String PLANTED = "EXTENDED_AFTER_RELEASE";

  private static final int SHORT = 600;
  private static final int LONG = 4_000;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine commandLine = Simulation.commandLine();
    commandLine.setOut(new PrintWriter(out));
    commandLine.setErr(new PrintWriter(err));
    return commandLine.execute(args);
  }

  private void everyPromiseIsKept(int from, int to) {
    int exitCode = run("--seeds", from + ".." + to);
    System.out.println(out);
    assertThat(exitCode).as("%s%s", out, err).isZero();
  }

  @Test
  void everyPromiseIsKeptOrKnownToBeBroken() {
    everyPromiseIsKept(1, SHORT);
  }

  @Test
  @Tag("thorough")
  void everyPromiseIsKeptInMoreFleets() {
    everyPromiseIsKept(SHORT + 1, LONG);
  }

  @Test
  void fleetsAreAsLargeAsTheyAreToBe() {
    run("--seeds", "1..200");
    assertThat(out.toString())
        .containsPattern("in the median [5-9]\\d\\d commands and [5-9] faults");
  }

  /** The same commands and events on every JVM: this number changes only with the library. */
  @Test
  void seedsRepeat() {
    run("--seeds", "1..30");
    String first = fingerprint();
    out.getBuffer().setLength(0);
    run("--seeds", "1..30");
    assertThat(fingerprint()).isEqualTo(first);
  }

  private String fingerprint() {
    return out.toString()
        .lines()
        .filter(line -> line.startsWith("fingerprint"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void storiesAreCutDownAndRepeat() {
    String seed = firstBroken();
    out.getBuffer().setLength(0);
    assertThat(run("--replay", seed, "--plant", PLANTED)).isEqualTo(Simulation.BROKEN);
    String story = out.toString();
    assertThat(story).contains("BROKEN OwnerOnly", "EXTEND [key");
    assertThat(story.lines().filter(line -> line.startsWith("Work[")).count()).isLessThan(4);

    out.getBuffer().setLength(0);
    run("--replay", seed, "--plant", PLANTED);
    assertThat(out.toString()).isEqualTo(story);
  }

  private String firstBroken() {
    assertThat(run("--seeds", "1..20", "--plant", PLANTED)).isEqualTo(Simulation.BROKEN);
    return out.toString()
        .replaceAll("(?s).*BROKEN in \\d+ seeds?, first in (\\d+): OwnerOnly.*", "$1");
  }

  @Test
  void whatIsNotBrokenIsToldInFull() {
    assertThat(run("--replay", "2")).isZero();
    assertThat(out.toString()).contains("ACQUIRE [key", "No promise was broken.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"many", "1..", "5..x", "7..3"})
  void wrongRangesAreRefused(String seeds) {
    assertThat(run("--seeds", seeds)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("--seeds must be", seeds);
  }
}
