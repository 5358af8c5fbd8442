// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.ACQUIRE;
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

/** The cost of a lock without contention. */
final class FreeKey implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.RATE,
    Metric.SERVER_CPU,
    Metric.CLIENT_CPU,
    Metric.COMMANDS,
    Metric.SCRIPTS,
    Metric.BYTES,
    Metric.P50,
    Metric.P99,
    Metric.MAX,
    Metric.FAILURES
  };

  @Override
  public Optional<Section> run(Bench bench) {
    RoundRobin rounds = new RoundRobin(bench);
    List<Team> teams = bench.teams(RAW, ACQUIRE, WITH_LOCK, REDISSON);
    for (int inFlight : List.of(1, 64, 512)) {
      rounds.run(
          teams, "" + inFlight, team -> team.client().start(Workloads.FREE_KEYS, inFlight, 1));
    }
    Results results = rounds.results();
    return Optional.of(
        new Section(
            "free-key",
            "A free key",
            "A pair is one acquire and one release; each of those in flight has a key of its own. Raw Lettuce is a loop over"
                + " its reactive API with two minimal scripts, one connection as it comes, and always the same token.",
            results.medians("in flight", COLUMNS),
            results.rounds("in flight", COLUMNS),
            targets(results),
            List.of(
                new Chart(
                    "free-key-rate", "Free key: pairs per second, by pairs in flight", Metric.RATE),
                new Chart("free-key-server", "Free key: server CPU for a pair", Metric.SERVER_CPU),
                new Chart(
                    "free-key-client", "Free key: client CPU for a pair", Metric.CLIENT_CPU))));
  }

  private static List<Target> targets(Results results) {
    String busy = "512";
    return List.of(
        Target.atMost(
            "free key, 512 in flight: server CPU, of raw Lettuce",
            results.ratio(ACQUIRE, RAW, busy, Metric.SERVER_CPU),
            0.60),
        Target.atMost(
            "free key, 512 in flight: server CPU, of Redisson",
            results.ratio(ACQUIRE, REDISSON, busy, Metric.SERVER_CPU),
            0.13),
        Target.atMost(
            "free key, 512 in flight: client CPU, of raw Lettuce",
            results.ratio(ACQUIRE, RAW, busy, Metric.CLIENT_CPU),
            1.0),
        Target.atMost(
            "free key, 512 in flight: client CPU, of Redisson",
            results.ratio(ACQUIRE, REDISSON, busy, Metric.CLIENT_CPU),
            0.20),
        Target.atLeast(
            "free key, 512 in flight: throughput, of raw Lettuce",
            results.ratio(ACQUIRE, RAW, busy, Metric.RATE),
            1.15),
        Target.atLeast(
            "free key, 512 in flight: throughput, of Redisson",
            results.ratio(ACQUIRE, REDISSON, busy, Metric.RATE),
            5),
        Target.atMost(
            "free key, 512 in flight: bytes allocated, of raw Lettuce",
            results.ratio(ACQUIRE, RAW, busy, Metric.BYTES),
            1.3));
  }
}
