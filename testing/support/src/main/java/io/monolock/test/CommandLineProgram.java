// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.Option;

/**
 * The command line of a program: the option {@code --help}, and one line of error output and an
 * exit code instead of a stack trace. Needs Picocli, which the program has to bring.
 *
 * <pre>{@code
 * public static void main(String[] args) {
 *   CommandLineProgram.run(CommandLineProgram.of(new Sale(), "The sale broke off"), args);
 * }
 * }</pre>
 */
public final class CommandLineProgram {

  /** The exit code of a program with a wrong option. */
  public static final int WRONG_OPTION = 2;

  /** The exit code of a program that failed with an exception. */
  public static final int BROKEN_OFF = 3;

  private CommandLineProgram() {}

  /**
   * Creates the command line of a program. Values of enums are accepted in any case. A program may
   * replace how exceptions are {@linkplain
   * CommandLine#setExecutionExceptionHandler(IExecutionExceptionHandler) reported}.
   *
   * @param program the command, whose value is its exit code; has no option {@code --help} itself
   * @param failure the text before the exception that ended the program
   * @return the command line
   */
  public static CommandLine of(Callable<Integer> program, String failure) {
    return new CommandLine(program)
        .addMixin("help", new HelpOption())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(
            (e, args) -> fail(e.getCommandLine(), WRONG_OPTION, e.getMessage() + " (see --help)"))
        .setExecutionExceptionHandler(
            (e, commandLine, parsed) -> fail(commandLine, BROKEN_OFF, failure + ": " + e));
  }

  /**
   * Runs a program, and ends this JVM if its exit code is not 0.
   *
   * @param program the command line
   * @param args the arguments of {@code main}
   */
  public static void run(CommandLine program, String[] args) {
    int exitCode = program.execute(args);
    if (exitCode != 0) {
      System.exit(exitCode);
    }
  }

  /**
   * Prints a message to the error output.
   *
   * @param commandLine the command line
   * @param exitCode the exit code
   * @param message the message
   * @return the exit code
   */
  public static int fail(CommandLine commandLine, int exitCode, String message) {
    commandLine.getErr().println(message);
    return exitCode;
  }

  @Command
  private static final class HelpOption {

    @Option(names = "--help", usageHelp = true, description = "Shows this help.")
    @SuppressWarnings("UnusedVariable") // Picocli sets it
    private boolean isWanted;
  }
}
