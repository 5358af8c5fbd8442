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
  /** Keys that nobody else wants. */
  FREE_KEY(new FreeKey()),
  /** A key that nobody else wants, with processors of their own and on one. */
  ONE_IN_FLIGHT(new OneInFlight()),
  /** One key that all callers of a process want. */
  HOT_KEY(new OneProcess()),
  /** One key that the callers of four processes want. */
  FOUR_PROCESSES(new FourProcesses()),
  /** How fast a lock comes from another process. */
  HAND_OVER(new HandOver()),
  /** Many who wait for what does not come. */
  IDLE_WAITERS(new IdleWaiters()),
  /** Many locks that are kept alive. */
  REFRESHED(new Refreshed()),
  /** What it costs to have more than one server. */
  TOPOLOGIES(new Topologies());

  private final Scenario scenario;

  Scenarios(Scenario scenario) {
    this.scenario = scenario;
  }

  /**
   * What it is called on the command line.
   *
   * @return the name
   */
  public String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * What all are called on the command line.
   *
   * @return the names, in the order in which they are run
   */
  public static List<String> titles() {
    return Stream.of(values()).map(Scenarios::title).toList();
  }

  /**
   * Measures.
   *
   * @param settings how long and how often
   * @param out where to say how far it is
   * @return what came of it; empty if it cannot be measured here
   */
  public Optional<Section> run(BenchmarkSettings settings, PrintWriter out) {
    out.printf("%n%s%n", title());
    try (Bench bench = new Bench(settings, out)) {
      return scenario.run(bench);
    }
  }
}
