// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.report.Metric;
import io.monolock.benchmarks.report.Sample;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/** Counts operations and their times, window by window. */
final class WindowStatistics {

  private static final int DIGITS = 3;
  private static final double MICRO = 1_000;

  private final Recorder times = new Recorder(DIGITS);
  private final LongAdder operations = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final AtomicReference<@Nullable Throwable> firstFailure = new AtomicReference<>();
  private Sample sample = new Sample();
  private ProcessMeter begin = ProcessMeter.read();

  void done(long nanos) {
    times.recordValue(Math.max(nanos, 0));
    operations.increment();
  }

  void failed(Throwable reason) {
    failures.increment();
    if (firstFailure.compareAndSet(null, reason)) {
      System.err.println("An operation failed: " + reason);
    }
  }

  /** All operations, in windows and outside of them. */
  long operations() {
    return operations.sum();
  }

  /** A window begins. */
  void begin() {
    failures.reset();
    times.reset();
    begin = ProcessMeter.read();
  }

  /** The window ends. */
  void end() {
    ProcessMeter used = ProcessMeter.read().since(begin);
    Histogram histogram = times.getIntervalHistogram();
    long count = histogram.getTotalCount();
    sample =
        new Sample()
            .with(Metric.OPERATIONS, count)
            .with(Metric.RATE, count * 1e9 / used.nanos())
            .with(Metric.CLIENT_CORES, (double) used.cpuNanos() / used.nanos())
            .with(Metric.FAILURES, failures.sum());
    if (count > 0) {
      sample
          .with(Metric.CLIENT_CPU, used.cpuNanos() / MICRO / count)
          .with(Metric.BYTES, (double) used.allocatedBytes() / count)
          .with(Metric.P50, histogram.getValueAtPercentile(50) / MICRO)
          .with(Metric.P99, histogram.getValueAtPercentile(99) / MICRO)
          .with(Metric.MAX, histogram.getMaxValue() / MICRO)
          .with(Metric.MEAN, histogram.getMean() / MICRO)
          .with(Metric.MAX_TO_MEAN, histogram.getMaxValue() / histogram.getMean());
    }
  }

  /** The sample of the last window. */
  Sample sample() {
    return sample;
  }
}
