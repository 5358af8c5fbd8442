// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.benchmarks.report.Document;
import io.monolock.benchmarks.report.Drawing;
import io.monolock.test.CommandLineProgram;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Short runs of the program. They say nothing about speed. */
class BenchmarksTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path folder;

  private int run(String... options) {
    CommandLine commandLine = Benchmarks.commandLine();
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(options);
  }

  private String results() throws IOException {
    return Files.readString(folder.resolve("RESULTS.md"));
  }

  @Test
  @Tag("thorough")
  void eachScenarioRunsAndIsWrittenToTheResults() throws Exception {
    assertThat(run("--quick", "--out=" + folder)).as("%s%s", out, err).isZero();
    assertThat(results())
        .contains("## A free key\n", "## One key, many callers in one process\n")
        .contains("## Many locks that are kept alive\n", "| one process: exclusion broken |")
        .contains(
            "![Free key: server CPU for a pair](charts/free-key-server.svg \"server CPU us\")");
    for (Path chart : charts(folder)) {
      assertThat(Drawing.of(Files.readString(chart))).as("%s", chart).isNotNull();
    }
    assertThat(names(charts(folder))).isEqualTo(names(charts(Document.module())));
  }

  @Test
  void aChosenScenarioRunsAndIsWrittenDown() throws Exception {
    assertThat(run("--quick", "--only=free-key", "--contenders=acquire", "--out=" + folder))
        .as("%s%s", out, err)
        .isZero();
    assertThat(results()).contains("## A free key\n");
  }

  private static List<Path> charts(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder.resolve("charts"))) {
      return files.sorted().toList();
    }
  }

  private static List<String> names(List<Path> files) {
    return files.stream().map(file -> file.getFileName().toString()).toList();
  }

  @Test
  void theCommittedChartsShowTheCommittedFigures() throws IOException {
    Files.copy(Document.module().resolve("RESULTS.md"), folder.resolve("RESULTS.md"));
    assertThat(run("--charts", "--out=" + folder)).as("%s%s", out, err).isZero();
    List<Path> committed = charts(Document.module());
    assertThat(names(charts(folder))).isEqualTo(names(committed));
    for (Path chart : committed) {
      assertThat(folder.resolve("charts").resolve(chart.getFileName()))
          .hasSameTextualContentAs(chart);
    }
  }

  @Test
  void anUnknownScenarioIsRefused() {
    assertThat(run("--only=hot-key,cold-key")).isEqualTo(CommandLineProgram.WRONG_OPTION);
    assertThat(err.toString()).contains("--only").contains("free-key").contains("cold-key");
  }

  @Test
  void helpListsTheOptions() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains("--only", "free-key", "--contenders", "REDISSON", "--quick");
  }
}
