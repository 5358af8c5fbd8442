// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

/** Defects that are known and not mended yet: their signatures, one in a line of a file. */
final class KnownFailures {

  private KnownFailures() {}

  static Set<String> load() {
    Set<String> signatures = new LinkedHashSet<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(
                    KnownFailures.class.getResourceAsStream("known-failures.txt")),
                StandardCharsets.UTF_8))) {
      lines
          .lines()
          .filter(line -> !line.isBlank() && line.charAt(0) != '#')
          .forEach(signatures::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return signatures;
  }
}
