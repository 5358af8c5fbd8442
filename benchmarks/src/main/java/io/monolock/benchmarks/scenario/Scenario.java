// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.report.Section;

/** One question, measured with all contenders that can answer it. */
interface Scenario {

  /** Measures, and says what came of it. */
  Section run(Bench bench);
}
