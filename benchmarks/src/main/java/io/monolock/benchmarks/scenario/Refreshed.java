// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.REDISSON;
import static io.monolock.benchmarks.contender.Contenders.WITH_LOCK;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Sample;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.report.Target;
import java.util.List;
import java.util.Optional;

/** The cost of holding many locks and keeping them alive. */
final class Refreshed implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.HELD,
    Metric.LOST,
    Metric.HEAP,
    Metric.CLIENT_CORES,
    Metric.SERVER_CORES,
    Metric.COMMAND_RATE,
    Metric.FAILURES
  };

  @Override
  public Optional<Section> run(Bench bench) {
    int locks = bench.settings().refreshed();
    String setting = "" + locks;
    List<Team> teams = bench.teams(WITH_LOCK, REDISSON);
    RoundRobin rounds = new RoundRobin(bench);
    rounds.measure(
        teams,
        setting,
        (team, round) -> watch(bench, team, locks, "kept:" + team.contender() + ":" + round + ":"));
    Results results = rounds.results();
    return Optional.of(
        new Section(
            "refreshed",
            "Many locks that are kept alive",
            "Scopes whose bodies never end, with a ttl of 30 s, watched for %d s each time. Heap is what they add to the"
                    .formatted(bench.settings().refreshWindow().toSeconds())
                + " heap in use, the text of the keys included; lost are those whose scopes ended or whose keys are"
                + " gone.",
            results.medians("locks", COLUMNS),
            results.rounds("locks", COLUMNS),
            targets(results, setting),
            List.of()));
  }

  private static Sample watch(Bench bench, Team team, int locks, String prefix) {
    bench.server().command("FLUSHALL");
    team.client().start(Workloads.KEEP, locks, prefix);
    Sample sample =
        bench.watch(
            team.clients(), bench.settings().firstWarmUp(), bench.settings().refreshWindow());
    long missing = locks - bench.server().commandAsLong("DBSIZE");
    team.client().stop();
    return sample.with(Metric.LOST, Math.max(sample.get(Metric.LOST), missing));
  }

  private static List<Target> targets(Results results, String setting) {
    return List.of(
        Target.atMost(
            setting + " refreshed locks: lost", results.sum(WITH_LOCK, setting, Metric.LOST), 0),
        Target.atMost(
            setting + " refreshed locks: bytes of heap each",
            results.median(WITH_LOCK, setting, Metric.HEAP),
            1_024),
        Target.atMost(
            setting + " refreshed locks: cores of the client",
            results.median(WITH_LOCK, setting, Metric.CLIENT_CORES),
            0.3));
  }
}
