// SPDX-License-Identifier: Apache-2.0
package io.monolock.interop;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A program that locks keys with a client of others. */
enum OtherClient {
  /** The Node client that is known as node-redlock. */
  REDLOCK("node, npm and a registry that has redlock are needed"),
  /** {@code SET key token NX PX} and a script that deletes, with the Node client ioredis. */
  IOREDIS("node, npm and a registry that has ioredis are needed"),
  /** The lock of python3-redis. */
  REDIS_PY("a python3 that has python3-redis is needed");

  private static final Path FOLDER = Path.of("target", "interop");

  /** How often keys were held, how often they were busy, and how often another holder was there. */
  record Counts(long held, long waited, long overlaps) {
    Counts plus(Counts other) {
      return new Counts(held + other.held, waited + other.waited, overlaps + other.overlaps);
    }
  }

  private final String needs;

  OtherClient(String needs) {
    this.needs = needs;
  }

  /** What is missing if there is no {@link #command}. */
  String needs() {
    return needs;
  }

  /** The command that runs it; empty if what it needs is not there. */
  Optional<List<String>> command() {
    if (this == REDIS_PY) {
      // another Python may come first
      return Stream.of("python3", "/usr/bin/python3")
          .filter(python -> succeeds(List.of(python, "-c", "import redis")))
          .findFirst()
          .map(python -> List.of(python, file("contend.py")));
    }
    file("package.json");
    return succeeds(List.of("node", "--version"))
            && succeeds(
                List.of(
                    "npm",
                    "install",
                    "--no-package-lock",
                    "--no-audit",
                    "--no-fund",
                    "--ignore-scripts"))
        ? Optional.of(List.of("node", file("contend.js"), name().toLowerCase(Locale.ROOT)))
        : Optional.empty();
  }

  /** Begins to lock these keys. */
  static Process start(List<String> command, int port, long until, List<String> keys) {
    List<String> all = new ArrayList<>(command);
    all.add(Integer.toString(port));
    all.add(Long.toString(until));
    all.addAll(keys);
    try {
      return new ProcessBuilder(all)
          .directory(FOLDER.toFile())
          .redirectError(Redirect.INHERIT)
          .start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What it prints when it ends. */
  static Counts counts(Process process) {
    try {
      String text =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
      if (process.waitFor() != 0) {
        throw new AssertionError("ended with " + process.exitValue() + ": " + text);
      }
      List<Long> numbers = Stream.of(text.split(" ")).map(Long::valueOf).toList();
      return new Counts(numbers.get(0), numbers.get(1), numbers.get(2));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static String file(String name) {
    try (InputStream resource = OtherClient.class.getResourceAsStream(name)) {
      Files.createDirectories(FOLDER);
      Files.copy(resource, FOLDER.resolve(name), StandardCopyOption.REPLACE_EXISTING);
      return name;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean succeeds(List<String> command) {
    try {
      Files.createDirectories(FOLDER);
      Process process =
          new ProcessBuilder(command)
              .directory(FOLDER.toFile())
              .redirectErrorStream(true)
              .redirectOutput(Redirect.DISCARD)
              .start();
      if (process.waitFor(3, TimeUnit.MINUTES)) {
        return process.exitValue() == 0;
      }
      process.destroyForcibly();
      return false;
    } catch (IOException e) {
      return false; // no such program
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
