// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Rows under a head, written as Markdown. */
public final class Table {

  private final List<List<String>> lines = new ArrayList<>();

  /**
   * A table without rows.
   *
   * @param head what the columns are called
   */
  public Table(List<String> head) {
    lines.add(head);
    lines.add(head.stream().map(column -> "---").toList());
  }

  /**
   * Adds a row.
   *
   * @param cells a text for each column
   */
  public void row(List<String> cells) {
    lines.add(cells);
  }

  /**
   * The table as Markdown.
   *
   * @return lines that end with a line break
   */
  public String markdown() {
    return lines.stream()
        .map(cells -> cells.stream().collect(Collectors.joining(" | ", "| ", " |\n")))
        .collect(Collectors.joining());
  }
}
