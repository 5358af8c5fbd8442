// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.client.Workloads;
import io.monolock.benchmarks.contender.Contenders;
import io.monolock.benchmarks.report.Results;
import io.monolock.benchmarks.report.Sample;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Lets contenders do the same work in turns, A B C A B C, and collects what that shows. */
final class Turns {

  private final Bench bench;
  private final Results results;
  private final Set<Contenders> warm = new HashSet<>();

  Turns(Bench bench, Results results) {
    this.bench = bench;
    this.results = results;
  }

  /**
   * Runs all rounds of one setting.
   *
   * @param words what the workload is told, made anew for each window
   */
  void run(
      List<Client> clients,
      String setting,
      Workloads workload,
      Function<Contenders, Object[]> words) {
    for (int round = 1; round <= bench.settings().rounds(); round++) {
      for (Client client : clients) {
        client.start(workload, words.apply(client.contender()));
        Sample sample =
            bench.watch(List.of(client), warmUp(client.contender()), bench.settings().window());
        client.stop();
        results.add(client.contender(), setting, sample);
        bench.say("%s, round %d, %s: %s", setting, round, client.contender().title(), sample);
      }
    }
  }

  private Duration warmUp(Contenders contender) {
    return warm.add(contender) ? bench.settings().firstWarmUp() : bench.settings().warmUp();
  }
}
