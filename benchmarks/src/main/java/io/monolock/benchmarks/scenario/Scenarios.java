// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.report.Section;
import java.io.PrintWriter;
import java.util.Locale;

/** All scenarios. A new one is a class that implements {@link Scenario}, and a line here. */
public enum Scenarios {
  /** Keys that nobody else wants. */
  FREE_KEY(new FreeKey()),
  /** One key that all callers of a process want. */
  HOT_KEY(new OneProcess());

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
   * Measures.
   *
   * @param settings how long and how often
   * @param out where to say how far it is
   * @return what came of it
   */
  public Section run(Settings settings, PrintWriter out) {
    out.printf("%n%s%n", title());
    try (Bench bench = new Bench(settings, out)) {
      return scenario.run(bench);
    }
  }
}
