// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.ACQUIRE;
import static io.monolock.benchmarks.contender.Contenders.REDISSON;
import static io.monolock.benchmarks.contender.Contenders.REDISSON_FAIR;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.report.Chart;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.report.Target;
import io.monolock.test.FaultProxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Hand-overs of one key among the callers of several processes. */
final class FourProcesses implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.RATE,
    Metric.LEAST_SHARE,
    Metric.LARGEST_SHARE,
    Metric.SCRIPTS,
    Metric.COMMANDS,
    Metric.SERVER_CPU,
    Metric.CLIENT_CPU,
    Metric.P50,
    Metric.P99,
    Metric.MAX,
    Metric.VIOLATIONS,
    Metric.FAILURES
  };
  private static final int PROCESSES = 4;
  private static final int WAITERS = 16;
  private static final String SETTING = "4 x 16";
  private static final String HOLDING = "4 x 16, held for 1 ms";
  private static final String DISTANT = "4 x 16, one of them 10 ms away";
  private static final long TURN_MICROS = 100_000;

  @Override
  public Optional<Section> run(Bench bench) {
    RoundRobin rounds = new RoundRobin(bench);
    List<Team> teams = bench.teams(PROCESSES, List.of(), ACQUIRE, REDISSON, REDISSON_FAIR);
    rounds.run(teams, SETTING, team -> start(team, bench.sharedFile(), 0));
    rounds.run(teams, HOLDING, team -> start(team, bench.sharedFile(), 1_000));
    bench.end(teams);
    try (FaultProxy distance = FaultProxy.before(bench.server())) {
      distance.delayRequests(Duration.ofMillis(5));
      distance.delayReplies(Duration.ofMillis(5));
      List<Team> distant = bench.teams(PROCESSES - 1, List.of(), ACQUIRE);
      distant.forEach(
          team -> team.clients().add(bench.team(team.contender(), distance.uri()).client()));
      rounds.run(distant, DISTANT, team -> start(team, bench.sharedFile(), 0));
      bench.end(distant);
    }
    Results results = rounds.results();
    return Optional.of(
        new Section(
            "four-processes",
            "One key, four processes with 16 callers each",
            "An operation is a hand-over. The shares are those of the processes that got the lock least and most"
                + " often; that one holds it at a time is checked in memory that the processes share.",
            results.medians("processes x callers", COLUMNS),
            results.rounds("processes x callers", COLUMNS),
            targets(results),
            List.of(
                new Chart(
                    "four-processes-rate",
                    "One key, 4 processes x 16 callers: hand-overs per second",
                    Metric.RATE))));
  }

  private static void start(Team team, Path shared, int holdMicros) {
    team.clients().forEach(client -> client.start(Workloads.HOT_KEY, WAITERS, shared, holdMicros));
  }

  private static List<Target> targets(Results results) {
    return List.of(
        Target.atLeast(
            "4 processes x 16: hand-overs/s, of RLock",
            results.ratio(ACQUIRE, REDISSON, SETTING, Metric.RATE),
            30),
        Target.atMost(
            "4 processes x 16: p99 of the wait, in turns",
            results.median(ACQUIRE, SETTING, Metric.P99) / TURN_MICROS,
            8),
        Target.atLeast(
            "4 processes x 16, held for 1 ms: hand-overs/s, of RLock",
            results.ratio(ACQUIRE, REDISSON, HOLDING, Metric.RATE),
            1.5),
        Target.atLeast(
            "4 processes x 16, one of them 10 ms away: its share, %",
            results.median(ACQUIRE, DISTANT, Metric.LEAST_SHARE), 3),
        Target.atLeast(
            "4 processes x 16: least share of a process, %",
            results.median(ACQUIRE, SETTING, Metric.LEAST_SHARE), 15),
        Target.atMost(
            "4 processes x 16: largest share of a process, %",
            results.median(ACQUIRE, SETTING, Metric.LARGEST_SHARE), 35),
        Target.atMost(
            "4 processes x 16: scripts for a hand-over",
            results.median(ACQUIRE, SETTING, Metric.SCRIPTS),
            1.5),
        Target.atMost(
            "4 processes x 16: exclusion broken",
            results.sum(ACQUIRE, SETTING, Metric.VIOLATIONS),
            0));
  }
}
