// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.report.Section;
import java.util.Optional;

/** One question, measured with all contenders that can answer it. */
interface Scenario {

  /** Measures, and says what came of it; says why on the bench if it cannot, and nothing else. */
  Optional<Section> run(Bench bench);
}
