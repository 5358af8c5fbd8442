// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.ACQUIRE;
import static io.monolock.benchmarks.contender.Contenders.IMMEDIATE;
import static io.monolock.benchmarks.contender.Contenders.RAW;
import static io.monolock.benchmarks.contender.Contenders.REDISSON;
import static io.monolock.benchmarks.contender.Contenders.WITH_LOCK;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.report.Chart;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.report.Target;
import java.util.List;
import java.util.Optional;

/** The latency of a lock without contention and with one caller, with processes pinned to cores. */
final class OneInFlight implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.P50, Metric.P99, Metric.MAX, Metric.RATE, Metric.SERVER_CPU, Metric.CLIENT_CPU
  };
  private static final String APART = "a core each";
  private static final String TOGETHER = "one core";

  @Override
  public Optional<Section> run(Bench bench) {
    List<Integer> processors = Processors.usable();
    if (processors.size() < 2) {
      bench.say("Skipped: needs taskset and two processors, has %s", processors);
      return Optional.empty();
    }
    Processors.pin(bench.server(), processors.get(0));
    RoundRobin rounds = new RoundRobin(bench);
    measure(bench, rounds, APART, processors.get(1));
    measure(bench, rounds, TOGETHER, processors.get(0));
    Results results = rounds.results();
    return Optional.of(
        new Section(
            "one-in-flight",
            "A free key, one in flight, pinned",
            "The time of a pair when nothing else is under way: with the server on one core and the client on"
                + " another, and with both on the same.",
            results.medians("on", COLUMNS),
            results.rounds("on", COLUMNS),
            targets(results),
            List.of(
                new Chart(
                    "one-in-flight-p50",
                    "Free key, one in flight: median of a pair",
                    Metric.P50))));
  }

  private static void measure(Bench bench, RoundRobin rounds, String setting, int processor) {
    List<Team> teams =
        bench.teams(1, Processors.on(processor), RAW, ACQUIRE, IMMEDIATE, WITH_LOCK, REDISSON);
    rounds.run(teams, setting, team -> team.client().start(Workloads.FREE_KEYS, 1, 1));
    bench.end(teams);
  }

  private static List<Target> targets(Results results) {
    return List.of(
        Target.atMost(
            "free key, 1 in flight, a core each: p50, of raw Lettuce",
            results.ratio(ACQUIRE, RAW, APART, Metric.P50),
            1.3),
        Target.atMost(
            "free key, 1 in flight, a core each, immediate(): p50, of raw Lettuce",
            results.ratio(IMMEDIATE, RAW, APART, Metric.P50),
            1.1),
        Target.atMost(
            "free key, 1 in flight, one core: p50, of raw Lettuce",
            results.ratio(ACQUIRE, RAW, TOGETHER, Metric.P50),
            1.8),
        Target.atMost(
            "free key, 1 in flight, a core each: p50, of Redisson",
            results.ratio(ACQUIRE, REDISSON, APART, Metric.P50),
            1),
        Target.atMost(
            "free key, 1 in flight, one core: p50, of Redisson",
            results.ratio(ACQUIRE, REDISSON, TOGETHER, Metric.P50),
            1));
  }
}
