// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Deletes folders with all that is in them. */
final class Folders {

  private Folders() {}

  /** Deletes a file, or a folder and its content; does nothing if there is none. */
  static void delete(Path path) {
    if (Files.notExists(path)) {
      return;
    }
    try {
      for (Path each : deepestFirst(path)) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Path> deepestFirst(Path path) throws IOException {
    try (Stream<Path> all = Files.walk(path)) {
      return all.sorted(Comparator.reverseOrder()).toList();
    }
  }
}
