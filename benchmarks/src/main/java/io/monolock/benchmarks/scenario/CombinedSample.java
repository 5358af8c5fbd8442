// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;

/** Combines the samples of several processes of the same window. */
final class CombinedSample {

  private static final List<Metric> SUMS =
      List.of(
          Metric.OPERATIONS,
          Metric.RATE,
          Metric.CLIENT_CORES,
          Metric.FAILURES,
          Metric.OVERTAKEN,
          Metric.HELD,
          Metric.LOST);
  private static final List<Metric> MEANS =
      List.of(Metric.CLIENT_CPU, Metric.BYTES, Metric.P50, Metric.P99, Metric.MEAN, Metric.HEAP);
  // maxima of a window, or counted by all processes together
  private static final List<Metric> MAXIMA =
      List.of(Metric.MAX, Metric.MAX_TO_MEAN, Metric.VIOLATIONS);

  private final List<Sample> samples;

  private CombinedSample(List<Sample> samples) {
    this.samples = samples;
  }

  static Sample together(List<Sample> samples) {
    return new CombinedSample(samples).together();
  }

  private Sample together() {
    if (samples.size() == 1) {
      return samples.get(0);
    }
    Sample all = new Sample();
    SUMS.forEach(metric -> put(all, metric, sum(metric)));
    MEANS.forEach(metric -> put(all, metric, weightedMean(metric)));
    MAXIMA.forEach(metric -> put(all, metric, values(metric).max().orElse(Double.NaN)));
    double operations = all.get(Metric.OPERATIONS);
    if (operations > 0) {
      ToDoubleFunction<Double> percent = count -> 100 * count / operations;
      values(Metric.OPERATIONS)
          .min()
          .ifPresent(least -> all.with(Metric.LEAST_SHARE, percent.applyAsDouble(least)));
      values(Metric.OPERATIONS)
          .max()
          .ifPresent(most -> all.with(Metric.LARGEST_SHARE, percent.applyAsDouble(most)));
    }
    return all;
  }

  private double sum(Metric metric) {
    return values(metric).findAny().isPresent() ? values(metric).sum() : Double.NaN;
  }

  private DoubleStream values(Metric metric) {
    return samples.stream()
        .mapToDouble(sample -> sample.get(metric))
        .filter(value -> !Double.isNaN(value));
  }

  private double weightedMean(Metric metric) {
    double weights = 0;
    double sum = 0;
    for (Sample sample : samples) {
      if (!Double.isNaN(sample.get(metric))) {
        weights += sample.get(Metric.OPERATIONS);
        sum += sample.get(Metric.OPERATIONS) * sample.get(metric);
      }
    }
    return sum / weights;
  }

  private static void put(Sample sample, Metric metric, double value) {
    if (!Double.isNaN(value)) {
      sample.with(metric, value);
    }
  }
}
