// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** Under which circumstances something was measured, in one line. */
final class Circumstances {

  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

  private Circumstances() {}

  static String now(List<String> options) {
    return "Measured on %s, %s, %s cores; %s %s, JDK %s; options: `%s`."
        .formatted(
            Instant.now().truncatedTo(ChronoUnit.MINUTES),
            processor(),
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            System.getProperty("java.version"),
            options.isEmpty() ? "none" : String.join(" ", options));
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
