// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Sample;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Lets contenders do the same work in turns, A B C A B C, and collects what that shows. */
final class RoundRobin {

  private final Bench bench;
  private final Results results = new Results();
  private final Set<Team> warm = new HashSet<>();

  RoundRobin(Bench bench) {
    this.bench = bench;
  }

  Results results() {
    return results;
  }

  /**
   * Runs all rounds of one setting.
   *
   * @param work starts the clients of a team
   */
  void run(List<Team> teams, String setting, Consumer<Team> work) {
    for (int round = 1; round <= bench.settings().rounds(); round++) {
      for (Team team : teams) {
        work.accept(team);
        Sample sample = bench.watch(team.clients(), warmUp(team), bench.settings().window());
        team.clients().parallelStream().forEach(Client::stop);
        results.add(team.contender(), setting, sample);
        bench.say("%s, round %d, %s: %s", setting, round, team.contender().title(), sample);
      }
    }
  }

  /**
   * Lets all get warm with work of another kind.
   *
   * @param work starts the clients of a team
   */
  void warmUp(List<Team> teams, Consumer<Team> work) {
    for (Team team : teams) {
      work.accept(team);
      bench.watch(team.clients(), bench.settings().firstWarmUp(), Duration.ZERO);
      team.clients().parallelStream().forEach(Client::stop);
    }
  }

  private Duration warmUp(Team team) {
    return warm.add(team) ? bench.settings().firstWarmUp() : bench.settings().warmUp();
  }
}
