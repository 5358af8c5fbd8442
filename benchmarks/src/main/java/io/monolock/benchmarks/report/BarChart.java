// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Groups of bars, to be drawn.
 *
 * @param title what they show
 * @param groups the bars of each setting
 */
record BarChart(String title, List<Group> groups) {

  /** The bars of one setting. */
  record Group(String title, List<Bar> bars) {}

  /** A bar of a contender; NaN is none. */
  record Bar(String contender, double value) {}

  /** What a chart shows of a table of medians. */
  static BarChart of(Chart chart, Table medians) {
    int column = medians.head().indexOf(chart.column());
    Map<String, List<Bar>> groups = new LinkedHashMap<>();
    for (List<String> row : medians.rows()) {
      groups
          .computeIfAbsent(setting(row.get(0), medians.head().get(0)), title -> new ArrayList<>())
          .add(new Bar(row.get(1), number(row.get(column))));
    }
    return new BarChart(
        chart.title() + (chart.column().endsWith(" us") ? ", µs" : ""),
        groups.entrySet().stream()
            .map(group -> new Group(group.getKey(), group.getValue()))
            .toList());
  }

  /** A bare number says nothing without the head of its column. */
  private static String setting(String name, String head) {
    return name.matches("\\d+")
        ? String.format(Locale.ROOT, "%,d %s", Long.parseLong(name), head)
        : name;
  }

  private static double number(String cell) {
    return cell.isEmpty() ? Double.NaN : Double.parseDouble(cell.replace(",", ""));
  }
}
