// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.ACQUIRE;
import static io.monolock.benchmarks.contender.Contenders.REDISSON;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Sample;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.report.Target;
import java.util.List;
import java.util.Optional;

/** The cost of waiting for a lock that another process holds. */
final class IdleWaiters implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.HELD,
    Metric.COMMAND_RATE,
    Metric.CLIENT_CORES,
    Metric.SERVER_CORES,
    Metric.LOST,
    Metric.FAILURES
  };

  @Override
  public Optional<Section> run(Bench bench) {
    int waiters = bench.settings().idleWaiters();
    String setting = "" + waiters;
    List<Team> teams = bench.teams(2, List.of(), ACQUIRE, REDISSON);
    RoundRobin rounds = new RoundRobin(bench);
    rounds.measure(
        teams,
        setting,
        (team, round) ->
            watch(bench, team, waiters, "idle:" + team.contender() + ":" + round + ":"));
    Results results = rounds.results();
    return Optional.of(
        new Section(
            "idle-waiters",
            "Many waiters for one lock that is kept",
            "The lock is held and kept alive by another process; commands are those of all clients, cores those of the"
                + " process of the waiters. Watched for %d s each time."
                    .formatted(bench.settings().idleWindow().toSeconds()),
            results.medians("waiters", COLUMNS),
            results.rounds("waiters", COLUMNS),
            targets(results, setting),
            List.of()));
  }

  private static Sample watch(Bench bench, Team team, int waiters, String key) {
    Client holder = team.clients().get(0);
    Client waiting = team.clients().get(1);
    holder.start(Workloads.KEEP, 1, key);
    waiting.start(Workloads.WAIT, waiters, key + 1);
    Sample sample =
        bench.watch(
            List.of(waiting), bench.settings().firstWarmUp(), bench.settings().idleWindow());
    waiting.stop();
    holder.stop();
    return sample;
  }

  private static List<Target> targets(Results results, String setting) {
    return List.of(
        Target.atMost(
            setting + " waiters on one held lock: commands/s at Redis",
            results.median(ACQUIRE, setting, Metric.COMMAND_RATE),
            5),
        Target.atMost(
            setting + " waiters on one held lock: cores of the client",
            results.median(ACQUIRE, setting, Metric.CLIENT_CORES),
            0.1));
  }
}
