// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.report.Section;
import java.util.Optional;

/** One measurement, of all contenders that support it. */
interface Scenario {

  /**
   * Measures, and returns the section of the results; empty if it cannot run here, with the reason
   * printed on the bench.
   */
  Optional<Section> run(Bench bench);
}
