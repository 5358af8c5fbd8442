// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.test.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** The processors, and processes pinned to them by {@code taskset}. */
final class Processors {

  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Pattern ALLOWED = Pattern.compile("(?m)^Cpus_allowed_list:\\s*(\\S+)");
  private static final Pattern RANGE = Pattern.compile("(\\d+)(?:-(\\d+))?");

  private Processors() {}

  /**
   * The numbers of the processors that this process may use; empty where pinning is not possible.
   */
  static List<Integer> usable() {
    try {
      return run("taskset", "--version") ? allowed(Files.readString(STATUS)) : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  static List<Integer> allowed(String status) {
    return ALLOWED
        .matcher(status)
        .results()
        .flatMap(line -> RANGE.matcher(line.group(1)).results())
        .flatMapToInt(Processors::numbers)
        .boxed()
        .toList();
  }

  private static IntStream numbers(MatchResult range) {
    int first = Integer.parseInt(range.group(1));
    return IntStream.rangeClosed(
        first, range.group(2) == null ? first : Integer.parseInt(range.group(2)));
  }

  /** Pins a server to a processor. */
  static void pin(RedisServer server, int processor) {
    try {
      if (!run("taskset", "-acp", "" + processor, "" + server.pid())) {
        throw new IllegalStateException("The server cannot be pinned");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The words before a command that pin it to a processor. */
  static List<String> on(int processor) {
    return List.of("taskset", "-c", "" + processor);
  }

  private static boolean run(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(Redirect.DISCARD)
            .redirectError(Redirect.DISCARD)
            .start();
    return process.onExit().join().exitValue() == 0;
  }
}
