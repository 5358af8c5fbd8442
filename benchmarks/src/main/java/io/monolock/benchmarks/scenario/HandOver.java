// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.ACQUIRE;
import static io.monolock.benchmarks.contender.Contenders.PING;
import static io.monolock.benchmarks.contender.Contenders.REDISSON;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.report.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The time from a release in one process to the grant in another, which is the only waiter. */
final class HandOver implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.P50, Metric.P99, Metric.MAX, Metric.COMMANDS, Metric.VIOLATIONS, Metric.FAILURES
  };
  private static final String SETTING = "with pauses";
  private static final String BUSY = "without pauses";

  @Override
  public Optional<Section> run(Bench bench) {
    RoundRobin rounds = new RoundRobin(bench);
    List<Team> teams =
        Stream.concat(
                bench.teams(PING).stream(), bench.teams(2, List.of(), ACQUIRE, REDISSON).stream())
            .toList();
    rounds.warmUp(teams, HandOver::warmUp);
    rounds.run(teams, SETTING, team -> start(team, bench.sharedFile()));
    rounds.run(
        teams.stream().filter(team -> team.contender() == PING).toList(),
        BUSY,
        team -> team.client().start(Workloads.FREE_KEYS, 1, 1));
    Results results = rounds.results();
    return Optional.of(
        new Section(
            "hand-over",
            "From a release to the lock in another process",
            "Two processes pass a lock to and fro; each holds it for 2 to 4 ms while the other waits. The time is that"
                + " from the call of release in one to the lock in the other. PING is a round trip of a third"
                + " process: with the same pauses, and for comparison without.",
            results.medians("how", COLUMNS),
            results.rounds("how", COLUMNS),
            targets(results),
            List.of()));
  }

  /** With the pauses of the measurement alone, the code would not be compiled. */
  private static void warmUp(Team team) {
    team.clients().forEach(client -> client.start(Workloads.FREE_KEYS, 8, 1));
  }

  private static void start(Team team, Path shared) {
    if (team.contender() == PING) {
      team.client().start(Workloads.PACED);
    } else {
      team.clients().forEach(client -> client.start(Workloads.PING_PONG, shared));
    }
  }

  private static List<Target> targets(Results results) {
    return List.of(
        Target.atMost(
            "release to grant in another process: p50, in PINGs",
            results.ratio(ACQUIRE, PING, SETTING, Metric.P50),
            4),
        Target.atMost(
            "release to grant in another process: p50, of Redisson",
            results.ratio(ACQUIRE, REDISSON, SETTING, Metric.P50),
            0.6),
        Target.atMost(
            "release to grant in another process: exclusion broken",
            results.sum(ACQUIRE, SETTING, Metric.VIOLATIONS),
            0));
  }
}
