// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.ACQUIRE;
import static io.monolock.benchmarks.contender.Contenders.POLLER;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.report.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How long a lone caller waits for a key that another process passes on among its callers. */
final class Neighbours implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.RATE, Metric.P50, Metric.P99, Metric.MAX, Metric.MEAN, Metric.VIOLATIONS, Metric.FAILURES
  };
  private static final int CALLERS = 64;
  private static final String SETTING = "1 beside 64";
  private static final long TURN_MICROS = 100_000;

  @Override
  public Optional<Section> run(Bench bench) {
    List<Team> crowds = bench.teams(ACQUIRE);
    if (crowds.isEmpty()) {
      return Optional.empty();
    }
    Client crowd = crowds.get(0).client();
    RoundRobin rounds = new RoundRobin(bench);
    rounds.measure(
        bench.teams(ACQUIRE, POLLER),
        SETTING,
        (team, round) -> {
          Path shared = bench.sharedFile();
          crowd.start(Workloads.HOT_KEY, CALLERS, shared, 0);
          team.client().start(Workloads.HOT_KEY, 1, shared, 0);
          Duration warmUp = round == 1 ? bench.settings().firstWarmUp() : bench.settings().warmUp();
          try {
            return bench.watch(team.clients(), warmUp, bench.settings().window());
          } finally {
            List.of(crowd, team.client()).parallelStream().forEach(Client::stop);
          }
        });
    Results results = rounds.results();
    return Optional.of(
        new Section(
            "neighbours",
            "One key, a lone caller beside a process with 64",
            "An operation is a grant to the lone caller, in a process of its own; its time is the wait for it. The"
                + " other process passes the lock on among its 64 callers, for a turn of 100 ms at most.",
            results.medians("callers", COLUMNS),
            results.rounds("callers", COLUMNS),
            targets(results),
            List.of()));
  }

  private static List<Target> targets(Results results) {
    return List.of(
        Target.atMost(
            "1 caller beside 64: p99 of its wait, in turns",
            results.median(ACQUIRE, SETTING, Metric.P99) / TURN_MICROS,
            2),
        Target.atMost(
            "SET NX every 10 ms beside 64: p99 of its wait, in turns",
            results.median(POLLER, SETTING, Metric.P99) / TURN_MICROS,
            10));
  }
}
