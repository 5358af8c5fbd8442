// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.report.Sample;

/** A workload that records each operation in {@link #statistics}. */
abstract class MeasuredWorkload implements CountedWorkload {

  final WindowStatistics statistics = new WindowStatistics();

  @Override
  public final void begin() {
    statistics.begin();
  }

  @Override
  public final void end() {
    statistics.end();
  }

  @Override
  public Sample sample() {
    return statistics.sample();
  }

  @Override
  public final long operations() {
    return statistics.operations();
  }
}
