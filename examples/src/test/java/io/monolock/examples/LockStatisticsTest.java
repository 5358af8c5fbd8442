// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LockStatisticsTest {

  private static final Set<String> KEYS = Set.of("key");

  private final LockStatistics statistics = new LockStatistics();

  @Test
  void countsAcquisitionsAndRefreshes() {
    statistics.acquired(1, KEYS, Duration.ZERO, 1);
    statistics.acquired(2, KEYS, Duration.ofSeconds(1), 5);
    statistics.refreshed(2, KEYS);

    assertThat(statistics.acquisitions()).isEqualTo(2);
    assertThat(statistics.refreshes()).isEqualTo(1);
  }

  @Test
  void countsWaitsInMicroseconds() {
    for (int i = 1; i <= 100; i++) {
      statistics.acquired(i, KEYS, Duration.ofNanos(i * 1_000L), 1);
    }

    assertThat(statistics.waitAt(50)).isEqualTo(Duration.ofNanos(50_000));
    assertThat(statistics.waitAt(99)).isEqualTo(Duration.ofNanos(99_000));
    assertThat(statistics.waitAt(100)).isEqualTo(Duration.ofNanos(100_000));
  }
}
