// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** What happened, line by line, if somebody wants to read it; else nothing is written down. */
public final class Story {

  private final List<Line> lines = new ArrayList<>();
  private final boolean isWritten;

  private record Line(long time, String subject, String text) {

    boolean concerns(String word) {
      return subject.contains(word) || text.contains(word);
    }

    @Override
    public String toString() {
      return "%11.3f ms  %-14s %s".formatted(time / 1e6, subject, text);
    }
  }

  /**
   * An empty story.
   *
   * @param isWritten whether to write anything down
   */
  public Story(boolean isWritten) {
    this.isWritten = isWritten;
  }

  /** Adds a line. */
  public void add(long time, String subject, Supplier<String> text) {
    if (isWritten) {
      lines.add(new Line(time, subject, text.get()));
    }
  }

  /** The lines that name the word; all for an empty one. */
  public List<String> about(String word) {
    return lines.stream().filter(line -> line.concerns(word)).map(Line::toString).toList();
  }
}
