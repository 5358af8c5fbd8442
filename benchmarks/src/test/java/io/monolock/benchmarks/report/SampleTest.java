// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.benchmarks.contender.Contenders;
import org.junit.jupiter.api.Test;

class SampleTest {

  @Test
  void aLineHoldsAll() {
    Sample sample = new Sample().with(Metric.RATE, 12_345.678).with(Metric.FAILURES, 0);
    Sample read = Sample.parse(sample.toLine());
    assertThat(read.metrics()).containsExactlyInAnyOrder(Metric.RATE, Metric.FAILURES);
    assertThat(read.get(Metric.RATE)).isEqualTo(12_345.678);
    assertThat(read.get(Metric.P50)).isNaN();
  }

  @Test
  void theMedianOfRoundsIsTheMiddleOne() {
    Results results = new Results();
    for (double rate : new double[] {30, 10, 20}) {
      results.add(Contenders.RAW, "1", new Sample().with(Metric.RATE, rate));
    }
    assertThat(results.median(Contenders.RAW, "1", Metric.RATE)).isEqualTo(20);
    results.add(Contenders.RAW, "1", new Sample().with(Metric.RATE, 40));
    assertThat(results.median(Contenders.RAW, "1", Metric.RATE)).isEqualTo(25);
    assertThat(results.median(Contenders.RAW, "2", Metric.RATE)).isNaN();
  }
}
