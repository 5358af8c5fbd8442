// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rows under a head, written as Markdown. */
public final class Table {

  private final List<String> head;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * A table without rows.
   *
   * @param head what the columns are called
   */
  public Table(List<String> head) {
    this.head = head;
  }

  /**
   * Reads the first table of a text.
   *
   * @param markdown a text that has one
   * @return the table
   */
  static Table firstOf(String markdown) {
    List<List<String>> lines =
        markdown
            .lines()
            .dropWhile(line -> !line.startsWith("|"))
            .takeWhile(line -> line.startsWith("|"))
            .map(Table::cells)
            .toList();
    Table table = new Table(lines.get(0));
    lines.stream().skip(2).forEach(table::row);
    return table;
  }

  private static List<String> cells(String line) {
    return Stream.of(line.substring(1, line.length() - 1).split("\\|", -1))
        .map(String::strip)
        .toList();
  }

  /**
   * Adds a row.
   *
   * @param cells a text for each column
   */
  public void row(List<String> cells) {
    rows.add(cells);
  }

  List<String> head() {
    return head;
  }

  List<List<String>> rows() {
    return rows;
  }

  /**
   * The table as Markdown.
   *
   * @return lines that end with a line break
   */
  public String markdown() {
    return Stream.concat(
            Stream.of(head, head.stream().map(column -> "---").toList()), rows.stream())
        .map(cells -> cells.stream().collect(Collectors.joining(" | ", "| ", " |\n")))
        .collect(Collectors.joining());
  }
}
