// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.jmh;

import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.util.Collection;
import java.util.Set;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.ScalarResult;

/** Adds the measurements of an iteration, of the server, too, to the results of JMH. */
public final class WindowProfiler implements InternalProfiler {

  private static final Set<Metric> SUMS = Set.of(Metric.FAILURES, Metric.VIOLATIONS);

  private static volatile Sample last = new Sample();

  /** Sets the sample of the iteration that is about to end. */
  static void report(Sample sample) {
    last = sample;
  }

  @Override
  public String getDescription() {
    return "CPU and commands of the server, CPU of the client, and times";
  }

  @Override
  public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
    last = new Sample();
  }

  @Override
  public Collection<ScalarResult> afterIteration(
      BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
    Sample sample = last;
    return sample.metrics().stream()
        .filter(metric -> metric != Metric.RATE)
        .map(metric -> new ScalarResult(metric.name(), sample.get(metric), "", aggregation(metric)))
        .toList();
  }

  private static AggregationPolicy aggregation(Metric metric) {
    if (metric == Metric.MAX) {
      return AggregationPolicy.MAX;
    }
    return SUMS.contains(metric) ? AggregationPolicy.SUM : AggregationPolicy.AVG;
  }
}
