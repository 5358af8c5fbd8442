// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Sample;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Measures contenders with the same work alternately, A B C A B C, and collects the results. */
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
    measure(
        teams,
        setting,
        (team, round) -> {
          work.accept(team);
          Sample sample = bench.watch(team.clients(), warmUp(team), bench.settings().window());
          team.clients().parallelStream().forEach(Client::stop);
          return sample;
        });
  }

  /**
   * Measures all rounds of one setting.
   *
   * @param measurement starts the clients of a team, measures and stops them; gets the number of
   *     the round, 1 for the first
   */
  void measure(List<Team> teams, String setting, BiFunction<Team, Integer, Sample> measurement) {
    for (int round = 1; round <= bench.settings().rounds(); round++) {
      for (Team team : teams) {
        Sample sample = measurement.apply(team, round);
        results.add(team.contender(), setting, sample);
        bench.say("%s, round %d, %s: %s", setting, round, team.contender().title(), sample);
      }
    }
  }

  /**
   * Warms all up with other work.
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
