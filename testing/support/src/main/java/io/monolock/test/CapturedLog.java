// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;

/** The standard error of this JVM, captured until it is closed. */
public final class CapturedLog implements AutoCloseable {

  private final PrintStream before = System.err;
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  /** Begins to capture. */
  public CapturedLog() {
    System.setErr(new PrintStream(written, true, UTF_8));
  }

  /**
   * The captured lines of a level.
   *
   * @param level the level as slf4j-simple writes it, such as {@code WARN}
   * @return the lines so far
   */
  public List<String> lines(String level) {
    return written
        .toString(UTF_8)
        .lines()
        .filter(line -> line.contains(" " + level + " "))
        .toList();
  }

  @Override
  public void close() {
    System.setErr(before);
  }
}
