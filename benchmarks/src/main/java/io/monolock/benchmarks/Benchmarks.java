// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks;

import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Document;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.scenario.BenchmarkSettings;
import io.monolock.benchmarks.scenario.Scenarios;
import io.monolock.test.CommandLineProgram;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line: reads the options, measures, and writes the results. */
@Command(
    name = "benchmarks",
    description = {
      "Measures Monolock beside a bare Lettuce loop and Redisson on a Redis server that it starts, "
          + "and writes RESULTS.md and charts.",
      ""
    },
    sortOptions = false,
    sortSynopsis = false)
public final class Benchmarks implements Callable<Integer> {

  @Option(
      names = "--only",
      split = ",",
      description =
          "The scenarios to run, with commas between; default: all. ${COMPLETION-CANDIDATES}",
      completionCandidates = Names.class,
      paramLabel = "SCENARIO")
  private List<String> only = List.of();

  @Option(
      names = "--contenders",
      split = ",",
      description =
          "The contenders to measure, with commas between; default: all. ${COMPLETION-CANDIDATES}",
      paramLabel = "CONTENDER")
  private Set<Contenders> contenders = EnumSet.allOf(Contenders.class);

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "How often each contender is measured; default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--window",
      paramLabel = "SECONDS",
      description =
          "How long each is measured in each round; default: 5, with idle-waiters 60, with refreshed "
              + "120.")
  private @Nullable Integer window;

  @Option(
      names = "--quick",
      description = "Shows in seconds that all works; its figures mean nothing.")
  private boolean quick;

  @Option(
      names = "--out",
      paramLabel = "FOLDER",
      description =
          "Where RESULTS.md and charts go, and notes come from; default: the folder of this module, "
              + "with --quick its target/quick.")
  private @Nullable Path out;

  @Option(
      names = "--notes",
      description = "Measures nothing, only takes the remarks in notes over into RESULTS.md.")
  private boolean notes;

  @Option(
      names = "--charts",
      description = "Measures nothing, only draws the charts anew from the tables of RESULTS.md.")
  private boolean charts;

  @Spec private CommandSpec spec;

  /**
   * Runs the program.
   *
   * @param args the options; {@code --help} lists them
   */
  public static void main(String[] args) {
    CommandLineProgram.run(commandLine(), args);
  }

  static CommandLine commandLine() {
    return CommandLineProgram.of(new Benchmarks(), "The run broke off");
  }

  @Override
  public Integer call() throws IOException {
    checkPositive("--rounds", rounds);
    checkPositive("--window", window == null ? 1 : window);
    List<Scenarios> scenarios =
        only.isEmpty() ? List.of(Scenarios.values()) : only.stream().map(this::scenario).toList();
    PrintWriter screen = spec.commandLine().getOut();
    Path folder = folder();
    Document document = new Document(folder, Scenarios.titles());
    if (notes) {
      document.rewrite();
    }
    if (charts) {
      document.redraw();
    }
    if (notes || charts) {
      return 0;
    }
    BenchmarkSettings settings = settings();
    String circumstances =
        Circumstances.now(spec.name(), spec.commandLine().getParseResult().originalArgs());
    screen.println(circumstances);
    for (Scenarios scenario : scenarios) {
      Optional<Section> measured = scenario.run(settings, screen);
      if (measured.isPresent()) {
        Section section = measured.get();
        document.put(section, circumstances);
        screen.printf("%n%s%n", section.medians().markdown());
        section.targets().forEach(target -> screen.println(String.join(" | ", target.row())));
      }
    }
    screen.printf("%nWritten: %s%n", folder.resolve("RESULTS.md"));
    screen.flush();
    return 0;
  }

  private void checkPositive(String option, int value) {
    if (value < 1) {
      throw new ParameterException(
          spec.commandLine(), option + " must be at least 1, was " + value);
    }
  }

  private BenchmarkSettings settings() {
    BenchmarkSettings settings =
        quick ? BenchmarkSettings.quick(contenders) : BenchmarkSettings.full(contenders, rounds);
    return window == null ? settings : settings.withWindow(Duration.ofSeconds(window));
  }

  private Scenarios scenario(String name) {
    return Stream.of(Scenarios.values())
        .filter(scenario -> scenario.title().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new ParameterException(
                    spec.commandLine(),
                    "--only must name some of " + Scenarios.titles() + ", was " + name));
  }

  private Path folder() {
    if (out != null) {
      return out;
    }
    return quick ? Document.module().resolve("target").resolve("quick") : Document.module();
  }

  /** The scenarios' names, for the help. */
  static final class Names implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
      return Scenarios.titles().iterator();
    }
  }
}
