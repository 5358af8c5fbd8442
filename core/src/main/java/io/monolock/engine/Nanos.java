// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.time.Duration;

/** Times and durations in nanoseconds that end at the longest one instead of overflowing. */
final class Nanos {

  /** Later than anything else. */
  static final long NEVER = Long.MAX_VALUE;

  private Nanos() {}

  static long of(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  static long sum(long time, long nanos) {
    long sum = time + nanos;
    if (((time ^ sum) & (nanos ^ sum)) < 0) {
      return nanos < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
    return sum;
  }

  static long after(long time, Duration duration) {
    return sum(time, of(duration));
  }
}
