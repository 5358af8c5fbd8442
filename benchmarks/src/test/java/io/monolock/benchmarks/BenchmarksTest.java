// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void eachScenarioRunsAndIsWrittenDown() throws IOException {
    assertThat(run("--quick", "--out=" + folder)).as("%s%s", out, err).isZero();
    assertThat(results())
        .contains("## A free key\n", "## One key, many callers in one process\n")
        .contains("## Many locks that are kept alive\n", "| one process: exclusion broken |")
        .contains("![Free key: server CPU for a pair](charts/free-key-server.svg)");
    assertThat(folder.resolve("charts/free-key-server.svg")).isNotEmptyFile();
  }

  @Test
  void anUnknownScenarioIsRefused() {
    assertThat(run("--only=hot-key,cold-key")).isEqualTo(Benchmarks.WRONG_OPTION);
    assertThat(err.toString()).contains("--only").contains("free-key").contains("cold-key");
  }

  @Test
  void helpTellsWhatThereIs() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains("--only", "free-key", "--contenders", "REDISSON", "--quick");
  }
}
