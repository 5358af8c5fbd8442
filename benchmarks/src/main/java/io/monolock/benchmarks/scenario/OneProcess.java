// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.ACQUIRE;
import static io.monolock.benchmarks.contender.Contenders.FENCED;
import static io.monolock.benchmarks.contender.Contenders.QUORUM;
import static io.monolock.benchmarks.contender.Contenders.REDISSON;
import static io.monolock.benchmarks.contender.Contenders.REDISSON_FAIR;
import static io.monolock.benchmarks.contender.Contenders.SHORT_TTL;
import static io.monolock.benchmarks.contender.Contenders.THREE_TTLS;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Chart;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Section;
import io.monolock.benchmarks.report.Target;
import io.monolock.test.RedisMasters;
import java.util.List;
import java.util.Optional;

/** Hand-overs of one key among the callers of one process. */
final class OneProcess implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.RATE,
    Metric.COMMANDS,
    Metric.SERVER_CPU,
    Metric.CLIENT_CPU,
    Metric.BYTES,
    Metric.P50,
    Metric.P99,
    Metric.MAX,
    Metric.MEAN,
    Metric.MAX_TO_MEAN,
    Metric.OVERTAKEN,
    Metric.VIOLATIONS,
    Metric.FAILURES
  };
  private static final String TWO = "2";
  private static final String FEW = "64";
  private static final String MANY = "1024";

  @Override
  public Optional<Section> run(Bench bench) {
    RoundRobin rounds = new RoundRobin(bench);
    run(bench, rounds, FEW, ACQUIRE, SHORT_TTL, THREE_TTLS, FENCED, REDISSON, REDISSON_FAIR);
    run(bench, rounds, TWO, ACQUIRE);
    run(bench, rounds, MANY, ACQUIRE, FENCED, REDISSON);
    run(bench, rounds, MANY, REDISSON_FAIR);
    if (bench.settings().contenders().contains(QUORUM)) {
      try (RedisMasters masters = RedisMasters.start(3)) {
        Team team = bench.team(QUORUM, String.join(",", masters.uris()));
        rounds.run(List.of(team), FEW, any -> start(bench, team, FEW));
      }
    }
    Results results = rounds.results();
    return Optional.of(
        new Section(
            "hot-key",
            "One key, many callers in one process",
            "An operation is a hand-over; its time is the wait from the call to the lock. A waiter is overtaken when one"
                + " whose call began after its own had returned gets the lock earlier.",
            results.medians("waiters", COLUMNS),
            results.rounds("waiters", COLUMNS),
            targets(results),
            List.of(
                new Chart(
                    "hot-key-rate",
                    "One key, one process: hand-overs per second, by waiters",
                    Metric.RATE),
                new Chart(
                    "hot-key-commands",
                    "One key, one process: commands for a hand-over",
                    Metric.COMMANDS))));
  }

  /** In processes of their own, as waiters that were cancelled can go on with asking the server. */
  private static void run(
      Bench bench, RoundRobin rounds, String waiters, Contenders... contenders) {
    List<Team> teams = bench.teams(contenders);
    rounds.run(teams, waiters, team -> start(bench, team, waiters));
    bench.end(teams);
  }

  private static void start(Bench bench, Team team, String waiters) {
    team.client().start(Workloads.HOT_KEY, waiters, bench.sharedFile(), 0);
  }

  private static List<Target> targets(Results results) {
    double few = results.median(ACQUIRE, FEW, Metric.RATE);
    double many = results.median(ACQUIRE, MANY, Metric.RATE);
    return List.of(
        Target.atLeast(
            "one process, 64 waiters: hand-overs/s, of RLock",
            results.ratio(ACQUIRE, REDISSON, FEW, Metric.RATE),
            20),
        Target.atLeast(
            "one process, 64 waiters: hand-overs/s, of RFairLock",
            results.ratio(ACQUIRE, REDISSON_FAIR, FEW, Metric.RATE),
            80),
        Target.atLeast(
            "one process, 64 waiters, ttl 300 ms: hand-overs/s, of RLock",
            results.ratio(SHORT_TTL, REDISSON, FEW, Metric.RATE),
            8),
        Target.atLeast(
            "one process, 64 waiters, three ttl's: hand-overs/s, of RLock",
            results.ratio(THREE_TTLS, REDISSON, FEW, Metric.RATE),
            1.5),
        Target.atMost(
            "one process, 64 waiters: overtaken", results.sum(ACQUIRE, FEW, Metric.OVERTAKEN), 0),
        Target.atMost(
            "one process, two callers in turns: commands for a hand-over",
            results.median(ACQUIRE, TWO, Metric.COMMANDS),
            0.2),
        Target.atMost(
            "one process, 1,024 waiters: hand-overs/s, less than with 64 by", 1 - many / few, 0.25),
        Target.atMost(
            "one process, 1,024 waiters: overtaken",
            results.sum(ACQUIRE, MANY, Metric.OVERTAKEN),
            0),
        Target.atMost(
            "one process, 1,024 waiters: longest wait, in means",
            results.median(ACQUIRE, MANY, Metric.MAX_TO_MEAN),
            3),
        Target.atMost(
            "one process, 64 waiters: commands for a hand-over",
            results.median(ACQUIRE, FEW, Metric.COMMANDS),
            0.1),
        Target.atMost(
            "one process, 64 waiters: commands for a fenced hand-over",
            results.median(FENCED, FEW, Metric.COMMANDS),
            7),
        Target.atMost(
            "one process: exclusion broken",
            results.sum(ACQUIRE, FEW, Metric.VIOLATIONS)
                + results.sum(ACQUIRE, MANY, Metric.VIOLATIONS)
                + results.sum(FENCED, FEW, Metric.VIOLATIONS)
                + results.sum(FENCED, MANY, Metric.VIOLATIONS),
            0));
  }
}
