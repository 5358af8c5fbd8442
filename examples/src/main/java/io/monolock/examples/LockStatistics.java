// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import io.monolock.LockObserver;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Counts what happens to the locks of all instances. */
final class LockStatistics implements LockObserver {

  private static final int SIGNIFICANT_DIGITS = 3;

  private final Histogram waitMicros = new ConcurrentHistogram(SIGNIFICANT_DIGITS);
  private final AtomicLong refreshes = new AtomicLong();

  @Override
  public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
    waitMicros.recordValue(waited.toNanos() / 1_000);
  }

  @Override
  public void refreshed(long id, Set<String> keys) {
    refreshes.incrementAndGet();
  }

  long acquisitions() {
    return waitMicros.getTotalCount();
  }

  long refreshes() {
    return refreshes.get();
  }

  /** The time that this share of the acquisitions waited at most; at 100 the longest wait. */
  Duration waitAt(double percentile) {
    return Duration.of(waitMicros.getValueAtPercentile(percentile), ChronoUnit.MICROS);
  }
}
