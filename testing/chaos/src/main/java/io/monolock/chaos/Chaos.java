// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.CommandLineProgram;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line: reads the options, runs the experiment, prints the result. */
@Command(
    name = "chaos",
    description = {
      "Lets client JVMs contend for locks on a Redis behind proxies, while servers, links and "
          + "clients fail at random, and proves from what they wrote down that no guarantee was "
          + "broken.",
      ""
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no guarantee was broken",
      "1:a guarantee was broken",
      "2:an option is wrong",
      "3:the run broke off"
    },
    sortOptions = false,
    sortSynopsis = false)
@SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // picocli sets the fields
public final class Chaos implements Callable<Integer> {

  static final int BROKEN = 1;

  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "How long the faults go on, 1 to 86400; default: ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "What all choices begin with; default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--topology",
      defaultValue = "standalone",
      description = {
        "Which kind of Redis: ${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}.",
        "standalone: one server.",
        "replicated: a primary and a replica, which must have each grant.",
        "sentinel: a master, two replicas, three sentinels.",
        "cluster: three masters, each with a replica.",
        "quorum: three independent servers."
      })
  private ChaosTopology topology;

  @Option(
      names = "--clients",
      defaultValue = "3",
      description = "How many client JVMs, 1 to 32; default: ${DEFAULT-VALUE}.")
  private int clients;

  @Option(
      names = "--workers",
      defaultValue = "8",
      description = "How many workers in each, 1 to 256; default: ${DEFAULT-VALUE}.")
  private int workers;

  @Option(
      names = "--break",
      defaultValue = "none",
      description = {
        "Breaks the library, to show that the checker notices: ${COMPLETION-CANDIDATES}.",
        "deadline: a lease counts from the answer, without drift.",
        "token: a release deletes the keys even of another holder."
      })
  private Breakage breakage;

  @Option(
      names = "--wiped-votes",
      description = {
        "Lets members of a quorum that were restarted, and may have forgotten their locks, vote at",
        "once; to show why they must not."
      })
  private boolean wipedVotes;

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
    return CommandLineProgram.of(new Chaos(), "The run broke off");
  }

  @Override
  public Integer call() throws InterruptedException {
    check("--seconds", seconds, 86_400);
    check("--clients", clients, 32);
    check("--workers", workers, 256);
    if (wipedVotes && topology != ChaosTopology.QUORUM) {
      throw new ParameterException(
          spec.commandLine(), "--wiped-votes needs --topology quorum, was " + lower(topology));
    }
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "Seconds: %d, seed: %d, topology: %s, clients: %d, workers in each: %d, broken: %s%s%n",
        seconds,
        seed,
        lower(topology),
        clients,
        workers,
        lower(breakage),
        wipedVotes ? ", wiped members vote" : "");
    out.flush();
    ChaosResult result =
        Experiment.run(
            new ChaosSettings(topology, seconds, seed, clients, workers, breakage, wipedVotes),
            out);
    new ChaosReport(out).print(result);
    return result.findings().isViolation() ? BROKEN : 0;
  }

  private void check(String option, int value, int most) {
    if (value < 1 || value > most) {
      throw new ParameterException(
          spec.commandLine(), option + " must be between 1 and " + most + ", was " + value);
    }
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
