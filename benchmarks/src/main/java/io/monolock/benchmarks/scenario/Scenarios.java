// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.report.Section;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** All scenarios. A new one is a class that implements {@link Scenario}, and a line here. */
public enum Scenarios {
  /** Keys without contention. */
  FREE_KEY(new FreeKey()),
  /** A key without contention, with client and server on two cores or on one. */
  ONE_IN_FLIGHT(new OneInFlight()),
  /** One key for which all callers of a process contend. */
  HOT_KEY(new OneProcess()),
  /** One key for which callers of four processes contend. */
  FOUR_PROCESSES(new FourProcesses()),
  /** One key for which a lone caller contends with another process. */
  NEIGHBOURS(new Neighbours()),
  /** The time of a hand-over between processes. */
  HAND_OVER(new HandOver()),
  /** Many callers that wait for a lock that is not released. */
  IDLE_WAITERS(new IdleWaiters()),
  /** Many locks that are kept alive. */
  REFRESHED(new Refreshed()),
  /** The cost of more than one server. */
  TOPOLOGIES(new Topologies());

  private final Scenario scenario;

  Scenarios(Scenario scenario) {
    this.scenario = scenario;
  }

  /**
   * The name on the command line.
   *
   * @return the name
   */
  public String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The names on the command line.
   *
   * @return the names, in the order in which they are run
   */
  public static List<String> titles() {
    return Stream.of(values()).map(Scenarios::title).toList();
  }

  /**
   * Measures.
   *
   * @param settings the settings
   * @param out for the progress
   * @return the section of the results; empty if it cannot be measured here
   */
  public Optional<Section> run(BenchmarkSettings settings, PrintWriter out) {
    out.printf("%n%s%n", title());
    try (Bench bench = new Bench(settings, out)) {
      return scenario.run(bench);
    }
  }
}
