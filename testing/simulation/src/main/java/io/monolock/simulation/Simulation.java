// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.check.Violation;
import java.io.PrintWriter;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Hooks;

/** The command line: runs seeds, or tells the story of one. */
@Command(
    name = "simulation",
    description = {
      "Runs fleets of lockers, servers and callers in virtual time, lets go wrong what can, and "
          + "checks after every event that no promise is broken. A seed decides everything.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no promise was broken, but those that are known to be",
      "1:a promise was broken, or a rare state was never reached",
      "2:an option is wrong"
    },
    sortOptions = false,
    sortSynopsis = false)
@SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // picocli sets the fields
public final class Simulation implements Callable<Integer> {

  static final int BROKEN = 1;

  private static final int PROGRESS_EACH = 1_000;
  private static final long A_DAY = 100_000;

  @Option(
      names = "--seeds",
      defaultValue = "1000",
      description =
          "How many seeds from 1, or FROM..TO, or today, for 100000 that no other day has;"
              + " default: ${DEFAULT-VALUE}.")
  private String seeds;

  @Option(names = "--replay", description = "Tells the story of this seed.")
  private @Nullable Long replay;

  @Option(names = "--about", description = "Only lines of the story that name this word.")
  private @Nullable String about;

  @Option(names = "--whole", description = "Tells the whole story, and not one that was cut down.")
  private boolean whole;

  @Option(
      names = "--plant",
      defaultValue = "NONE",
      description = "Plants a fault that has to be found: ${COMPLETION-CANDIDATES}.")
  private Plant plant;

  @Option(
      names = "--tolerate",
      split = ",",
      description = "Signatures that are not to be reported, beside those that are known.")
  private List<String> tolerated = List.of();

  @Option(names = "--strict", description = "Reports what is known, too.")
  private boolean strict;

  @Option(names = "--help", usageHelp = true, description = "Shows this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  /**
   * Runs the program.
   *
   * @param args the options; {@code --help} lists them
   */
  public static void main(String[] args) {
    Hooks.onErrorDropped(e -> {}); // of bodies that fail after they were cancelled
    int exitCode = commandLine().execute(args);
    if (exitCode != 0) {
      System.exit(exitCode);
    }
  }

  static CommandLine commandLine() {
    return new CommandLine(new Simulation()).setCaseInsensitiveEnumValuesAllowed(true);
  }

  @Override
  public Integer call() {
    Set<String> ignored = new LinkedHashSet<>(tolerated);
    if (!strict) {
      ignored.addAll(KnownFailures.load());
    }
    Long seed = replay;
    return seed != null ? replay(seed, ignored) : runAll(ignored);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private int replay(long seed, Set<String> ignored) {
    Plan plan = Plan.of(seed);
    Fleet.Outcome outcome = Fleet.run(plan, true, ignored, plant);
    Violation violation = outcome.violation();
    if (violation != null && !whole) {
      plan = new Shrinker(plan, violation, ignored, plant).shrink();
      outcome = Fleet.run(plan, true, ignored, plant);
      violation = outcome.violation();
    }
    String word = about != null ? about : violation == null ? "" : violation.subject();
    out().println(plan.swarm());
    plan.troubles().forEach(out()::println);
    plan.work().forEach(out()::println);
    outcome.world().story(word).forEach(out()::println);
    out().println(violation == null ? "No promise was broken." : violation);
    out().flush();
    return violation == null ? 0 : BROKEN;
  }

  private int runAll(Set<String> ignored) {
    long[] range = range();
    Batch batch = new Batch(ignored, plant);
    for (long seed = range[0]; seed <= range[1]; seed++) {
      batch.run(seed);
      if (seed % PROGRESS_EACH == 0) {
        say(
            "seed %d, %.0f a second, findings %d",
            seed, batch.seedsPerSecond(), batch.findings().size());
      }
    }
    batch.known().forEach((signature, known) -> report("KNOWN", known));
    batch.findings().forEach((signature, found) -> report("BROKEN", found));
    say("%s", batch.summary());
    if (!batch.missed().isEmpty()) {
      say("NEVER REACHED %s", batch.missed());
    }
    return batch.findings().isEmpty() && batch.missed().isEmpty() ? 0 : BROKEN;
  }

  private void report(String how, Batch.Finding found) {
    say("%s in %d seeds, first in %d: %s", how, found.times(), found.seed(), found.text());
  }

  private void say(String format, Object... values) {
    out().printf(Locale.ROOT, format + "%n", values);
    out().flush();
  }

  private long[] range() {
    if (seeds.equals("today")) {
      long first = LocalDate.now(ZoneOffset.UTC).toEpochDay() * A_DAY;
      return new long[] {first, first + A_DAY - 1};
    }
    String[] ends = seeds.split("\\.\\.", 2);
    try {
      long last = Long.parseLong(ends[ends.length - 1]);
      long first = ends.length == 1 ? 1 : Long.parseLong(ends[0]);
      if (first <= last) {
        return new long[] {first, last};
      }
    } catch (NumberFormatException e) {
      // refused below, like a range that is empty
    }
    throw new ParameterException(
        spec.commandLine(), "--seeds must be a number, FROM..TO or today, was " + seeds);
  }
}
