// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The values of one window of one contender. Can be sent from process to process as a line. */
public final class Sample {

  private final Map<Metric, Double> values = new EnumMap<>(Metric.class);

  /**
   * Sets a value.
   *
   * @param metric what was measured
   * @param value its value
   * @return this
   */
  public Sample with(Metric metric, double value) {
    values.put(metric, value);
    return this;
  }

  /**
   * What was measured.
   *
   * @return all metrics that have a value
   */
  public Set<Metric> metrics() {
    return values.keySet();
  }

  /**
   * A value.
   *
   * @param metric what was measured
   * @return its value, NaN if there is none
   */
  public double get(Metric metric) {
    return values.getOrDefault(metric, Double.NaN);
  }

  /**
   * The sample as words with a blank between them.
   *
   * @return the text that {@link #parse} understands
   */
  public String toLine() {
    return values.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining(" "));
  }

  /**
   * Reads a sample.
   *
   * @param line what {@link #toLine} wrote
   * @return the sample
   */
  public static Sample parse(String line) {
    Sample sample = new Sample();
    Arrays.stream(line.split(" "))
        .map(word -> word.split("=", 2))
        .forEach(pair -> sample.with(Metric.valueOf(pair[0]), Double.parseDouble(pair[1])));
    return sample;
  }

  @Override
  public String toString() {
    return values.entrySet().stream()
        .map(entry -> entry.getKey().title() + " " + entry.getKey().format(entry.getValue()))
        .collect(Collectors.joining(", "));
  }
}
