// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import io.monolock.benchmarks.contender.Contenders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** The samples of all rounds, by contender and by setting, such as how many were in flight. */
public final class Results {

  private record Cell(Contenders contender, String setting) {}

  private final Map<Cell, List<Sample>> samples = new LinkedHashMap<>();

  /**
   * Adds the sample of a round.
   *
   * @param contender the contender
   * @param setting the setting
   * @param sample the sample
   */
  public void add(Contenders contender, String setting, Sample sample) {
    samples.computeIfAbsent(new Cell(contender, setting), cell -> new ArrayList<>()).add(sample);
  }

  /**
   * The median of all rounds.
   *
   * @param contender the contender
   * @param setting the setting
   * @param metric the metric
   * @return the median, NaN if it was not measured
   */
  public double median(Contenders contender, String setting, Metric metric) {
    double[] values = values(contender, setting, metric);
    Arrays.sort(values);
    int half = values.length / 2;
    if (values.length == 0) {
      return Double.NaN;
    }
    return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }

  private double[] values(Contenders contender, String setting, Metric metric) {
    return samples.getOrDefault(new Cell(contender, setting), List.of()).stream()
        .mapToDouble(sample -> sample.get(metric))
        .filter(value -> !Double.isNaN(value))
        .toArray();
  }

  /**
   * The sum over all rounds.
   *
   * @param contender the contender
   * @param setting the setting
   * @param metric the metric
   * @return the sum, NaN if it was not measured
   */
  public double sum(Contenders contender, String setting, Metric metric) {
    double[] values = values(contender, setting, metric);
    return values.length == 0 ? Double.NaN : DoubleStream.of(values).sum();
  }

  /**
   * How one contender compares with another.
   *
   * @param contender the one
   * @param other the other
   * @param setting the setting
   * @param metric the metric
   * @return its median divided by that of the other
   */
  public double ratio(Contenders contender, Contenders other, String setting, Metric metric) {
    return median(contender, setting, metric) / median(other, setting, metric);
  }

  /**
   * The settings in the order in which they were measured.
   *
   * @return their names
   */
  public List<String> settings() {
    return samples.keySet().stream().map(Cell::setting).distinct().toList();
  }

  /**
   * The contenders in the order in which they were measured.
   *
   * @return the contenders
   */
  public List<Contenders> contenders() {
    return samples.keySet().stream().map(Cell::contender).distinct().toList();
  }

  /**
   * The medians as a table, a row for each contender under each setting.
   *
   * @param setting what the settings are called
   * @param metrics the columns
   * @return the table
   */
  public Table medians(String setting, Metric... metrics) {
    Table table = new Table(head(setting, "contender", metrics));
    settings()
        .forEach(
            name ->
                contenders().stream()
                    .filter(contender -> samples.containsKey(new Cell(contender, name)))
                    .forEach(
                        contender ->
                            table.row(
                                row(
                                    name,
                                    contender.title(),
                                    metrics,
                                    metric -> median(contender, name, metric)))));
    return table;
  }

  /**
   * All samples as a table.
   *
   * @param setting what the settings are called
   * @param metrics the columns
   * @return the table
   */
  public Table rounds(String setting, Metric... metrics) {
    Table table = new Table(head(setting, "contender", metrics));
    samples.forEach(
        (cell, rounds) ->
            rounds.forEach(
                sample ->
                    table.row(
                        row(cell.setting(), cell.contender().title(), metrics, sample::get))));
    return table;
  }

  private static List<String> head(String setting, String contender, Metric... metrics) {
    return Stream.concat(Stream.of(setting, contender), Stream.of(metrics).map(Metric::title))
        .toList();
  }

  private static List<String> row(
      String setting, String contender, Metric[] metrics, ToDoubleFunction<Metric> value) {
    return Stream.concat(
            Stream.of(setting, contender),
            Stream.of(metrics).map(metric -> metric.format(value.applyAsDouble(metric))))
        .toList();
  }
}
