// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static io.monolock.benchmarks.contender.Contenders.ACQUIRE;
import static io.monolock.benchmarks.contender.Contenders.CLUSTER;
import static io.monolock.benchmarks.contender.Contenders.QUORUM;
import static io.monolock.benchmarks.contender.Contenders.REPLICATED;
import static io.monolock.benchmarks.contender.Contenders.SENTINEL;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Chart;
import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Section;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisMasters;
import io.monolock.test.RedisSentinels;
import io.monolock.test.ReplicaPair;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The cost of a pair on more than one server; all of them are on this machine. */
final class Topologies implements Scenario {

  private static final Metric[] COLUMNS = {
    Metric.P50, Metric.P99, Metric.MAX, Metric.RATE, Metric.CLIENT_CPU, Metric.FAILURES
  };

  @Override
  public Optional<Section> run(Bench bench) {
    try (RedisSentinels sentinels = RedisSentinels.start();
        RedisCluster cluster = RedisCluster.start();
        ReplicaPair pair = ReplicaPair.start();
        RedisMasters masters = RedisMasters.start(3)) {
      Map<Contenders, String> servers = new LinkedHashMap<>();
      servers.put(ACQUIRE, bench.server().uri());
      servers.put(SENTINEL, sentinels.uri());
      servers.put(CLUSTER, String.join(",", cluster.uris()));
      servers.put(REPLICATED, pair.primary().uri());
      servers.put(QUORUM, String.join(",", masters.uris()));
      return Optional.of(measure(bench, servers));
    }
  }

  private static Section measure(Bench bench, Map<Contenders, String> servers) {
    List<Team> teams = new ArrayList<>();
    servers.forEach(
        (contender, uri) -> {
          if (bench.settings().contenders().contains(contender)) {
            teams.add(bench.team(contender, uri));
          }
        });
    RoundRobin rounds = new RoundRobin(bench);
    for (int inFlight : List.of(1, 64)) {
      rounds.run(
          teams, "" + inFlight, team -> team.client().start(Workloads.FREE_KEYS, inFlight, 1));
    }
    bench.end(teams);
    Results results = rounds.results();
    return new Section(
        "topologies",
        "A free key, on more than one server",
        "As above: a pair is one acquire and one release of a key without contention. All servers share the cores of"
            + " this machine, which costs those with many of them more than it would elsewhere.",
        results.medians("in flight", COLUMNS),
        results.rounds("in flight", COLUMNS),
        List.of(),
        List.of(
            new Chart(
                "topologies-p50", "Free key: median of a pair, by pairs in flight", Metric.P50)));
  }
}
