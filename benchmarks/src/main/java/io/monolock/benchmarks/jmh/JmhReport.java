// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.jmh;

import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Sample;
import io.monolock.benchmarks.report.Section;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;

/** Converts results of JMH to sections of the file of results, one for each class of benchmarks. */
final class JmhReport {

  private static final Metric[] COLUMNS = {
    Metric.RATE,
    Metric.SERVER_CPU,
    Metric.CLIENT_CPU,
    Metric.COMMANDS,
    Metric.BYTES,
    Metric.P50,
    Metric.P99,
    Metric.MAX,
    Metric.VIOLATIONS,
    Metric.FAILURES
  };
  private static final String CONTENDER = "contender";

  private JmhReport() {}

  static List<Section> sections(Collection<RunResult> runs) {
    Map<String, Results> results = new LinkedHashMap<>();
    for (RunResult run : runs) {
      BenchmarkParams params = run.getParams();
      Results ofClass =
          results.computeIfAbsent(className(params.getBenchmark()), name -> new Results());
      Contenders contender = Contenders.valueOf(params.getParam(CONTENDER));
      run.getBenchmarkResults().stream()
          .flatMap(fork -> fork.getIterationResults().stream())
          .forEach(iteration -> ofClass.add(contender, setting(params), sample(iteration)));
    }
    return results.entrySet().stream()
        .map(entry -> section(entry.getKey(), entry.getValue()))
        .toList();
  }

  private static Section section(String name, Results results) {
    return new Section(
        "jmh-" + name,
        "JMH: " + name,
        "Medians of iterations. JMH's own profiler of allocations also counts what starts the callers, these bytes do"
            + " not.",
        results.medians("parameters", COLUMNS),
        results.rounds("parameters", COLUMNS),
        List.of(),
        List.of());
  }

  private static Sample sample(IterationResult iteration) {
    Sample sample = new Sample().with(Metric.RATE, iteration.getPrimaryResult().getScore());
    iteration
        .getSecondaryResults()
        .forEach(
            (name, result) ->
                Stream.of(COLUMNS)
                    .filter(metric -> metric.name().equals(name))
                    .forEach(metric -> sample.with(metric, result.getScore())));
    return sample;
  }

  private static String setting(BenchmarkParams params) {
    return params.getParamsKeys().stream()
        .filter(key -> !key.equals(CONTENDER))
        .map(key -> key + " " + params.getParam(key))
        .reduce((a, b) -> a + ", " + b)
        .orElse("");
  }

  private static String className(String benchmark) {
    String[] names = benchmark.split("\\.");
    return names[names.length - 2];
  }
}
