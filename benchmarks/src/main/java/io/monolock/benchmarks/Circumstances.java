// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Under which circumstances something was measured, in one line. */
public final class Circumstances {

  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

  private Circumstances() {}

  /**
   * The machine, the time and the program.
   *
   * @param program the name of the program that measured
   * @param options its options
   * @return a sentence
   */
  public static String now(String program, List<String> options) {
    return "Measured on %s, %s, %s cores; %s %s, JDK %s; `%s`."
        .formatted(
            Instant.now().truncatedTo(ChronoUnit.MINUTES),
            processor(),
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("java.version"),
            Stream.concat(Stream.of(program), options.stream()).collect(Collectors.joining(" ")));
  }

  private static String processor() {
    try {
      return Files.readAllLines(PROCESSORS).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}
