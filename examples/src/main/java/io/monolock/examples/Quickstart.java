// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.monolock.test.RedisServer;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command line of the ticket office: reads the options, runs the sales, prints the result. */
@Command(
    name = "quickstart",
    description = {
      "Sells the seats of a show in several service instances at once: first by an unguarded "
          + "read-modify-write in Redis, then in the same way under a distributed lock.",
      ""
    },
    footer = {"", "A TIME is written as 500ms, 2s, 1m or PT0.5S."},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:under the lock no seat was sold twice",
      "1:under the lock a seat was sold twice",
      "2:an option is wrong, or Redis cannot be reached",
      "3:the sale broke off"
    },
    sortOptions = false,
    sortSynopsis = false)
@SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // picocli sets the fields
public final class Quickstart implements Callable<Integer> {

  static final int SOLD_TWICE = 1;
  static final int NOT_STARTED = 2;
  static final int BROKEN_OFF = 3;

  @Option(
      names = "--redis",
      paramLabel = "URI",
      description = "A server such as redis://host:port; without it one is started for this run.")
  private @Nullable RedisURI redis;

  @Mixin private ShowOptions show;

  @Option(names = "--help", usageHelp = true, description = "Shows this help.")
  private boolean help;

  @Spec private CommandSpec spec;

  /**
   * Runs the example.
   *
   * @param args the options; {@code --help} lists them
   */
  public static void main(String[] args) {
    int exitCode = commandLine().execute(args);
    if (exitCode != 0) {
      System.exit(exitCode);
    }
  }

  static CommandLine commandLine() {
    return new CommandLine(new Quickstart())
        .registerConverter(Duration.class, new DurationConverter())
        .registerConverter(RedisURI.class, Quickstart::address)
        .setParameterExceptionHandler(
            (e, args) -> fail(e.getCommandLine(), NOT_STARTED, e.getMessage() + " (see --help)"))
        .setExecutionExceptionHandler((e, commandLine, parsed) -> failed(commandLine, e));
  }

  private static RedisURI address(String value) {
    try {
      return RedisURI.create(value);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("'" + value + "' is not like redis://host:port");
    }
  }

  @Override
  public Integer call() {
    SalePlan plan = show.plan();
    if (redis != null) {
      return sell(redis, plan);
    }
    try (RedisServer server = RedisServer.start()) {
      return sell(RedisURI.create(server.uri()), plan);
    }
  }

  private int sell(RedisURI uri, SalePlan plan) {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "Instances: %d, buyers at each: %d, Redis: %s%n", plan.instances(), plan.buyers(), uri);
    out.flush();
    Simulation simulation = new Simulation(uri, plan, new ProgressLine(out, Ansi.AUTO.enabled()));
    SalesReport report = Objects.requireNonNull(simulation.run().block(plan.longestRun()));
    out.printf("%n%s%n", report.text());
    return report.soldTwice() ? SOLD_TWICE : 0;
  }

  private static int failed(CommandLine commandLine, Exception error) {
    if (error instanceof RedisConnectionException) {
      Quickstart quickstart = commandLine.getCommand();
      String address = "Redis at " + quickstart.redis;
      return fail(commandLine, NOT_STARTED, "Cannot reach " + address + ": " + rootOf(error));
    }
    return fail(commandLine, BROKEN_OFF, "The sale broke off: " + error);
  }

  private static int fail(CommandLine commandLine, int exitCode, String message) {
    commandLine.getErr().println(message);
    return exitCode;
  }

  private static @Nullable String rootOf(Throwable error) {
    Throwable cause = error.getCause();
    return cause == null ? error.getMessage() : rootOf(cause);
  }
}
