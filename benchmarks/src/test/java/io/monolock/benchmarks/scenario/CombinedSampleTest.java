// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;

class CombinedSampleTest {

  private static Sample sample(double operations, double clientCpu, double max) {
    return new Sample()
        .with(Metric.OPERATIONS, operations)
        .with(Metric.CLIENT_CPU, clientCpu)
        .with(Metric.MAX, max);
  }

  @Test
  void countsAreAddedAndCostsAreWeighed() {
    Sample all = CombinedSample.together(List.of(sample(300, 10, 7), sample(100, 50, 9)));
    assertThat(all.get(Metric.OPERATIONS)).isEqualTo(400);
    assertThat(all.get(Metric.CLIENT_CPU)).isEqualTo(20);
    assertThat(all.get(Metric.MAX)).isEqualTo(9);
    assertThat(all.get(Metric.LEAST_SHARE)).isEqualTo(25);
    assertThat(all.get(Metric.LARGEST_SHARE)).isEqualTo(75);
  }

  @Test
  void metricsWithoutMeasurementAreLeftOut() {
    Sample all = CombinedSample.together(List.of(sample(1, 1, 1), sample(1, 1, 1)));
    assertThat(all.metrics()).doesNotContain(Metric.HELD, Metric.LOST, Metric.HEAP);
  }
}
