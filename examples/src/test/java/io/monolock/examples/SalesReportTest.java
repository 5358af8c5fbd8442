// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SalesReportTest {

  private final Ledger unguarded = new Ledger(2);
  private final Ledger locked = new Ledger(2);
  private final LockStatistics locks = new LockStatistics();

  @Test
  void showsAllFigures() {
    for (int i = 0; i < 1_234; i++) {
      unguarded.sold(1);
    }
    locked.sold(2, 10);
    locked.sold(1, 11);
    for (int i = 0; i < 3; i++) {
      locks.acquired(i, Set.of("key"), Duration.ofMillis(1), 1);
    }
    locks.refreshed(1, Set.of("key"));

    SalesReport report = report();

    assertThat(report.soldTwice()).isFalse();
    assertThat(report.text().lines())
        .containsExactly(
            "                          without a lock  under the lock",
            "seats sold                         1,234               2",
            "sold twice                         1,233               0",
            "time                            250.0 ms          1.50 s",
            "acquisitions                                           3",
            "wait p50                                          1.0 ms",
            "wait p99                                          1.0 ms",
            "wait max                                          1.0 ms",
            "refreshes                                              1",
            "fencing tokens increase                              yes",
            "locks left in Redis                                    0",
            "",
            "Under the lock no seat was sold twice.");
  }

  @Test
  void saysWhenTheLockHasFailed() {
    locked.sold(2, 11);
    locked.sold(2, 10);

    SalesReport report = report();

    assertThat(report.soldTwice()).isTrue();
    assertThat(report.text())
        .contains("fencing tokens increase                               no")
        .endsWith("THE LOCK HAS FAILED: under it seats were sold twice.");
  }

  private SalesReport report() {
    return new SalesReport(
        new Sale(unguarded, Duration.ofMillis(250)),
        new Sale(locked, Duration.ofMillis(1_500)),
        locks,
        0);
  }
}
