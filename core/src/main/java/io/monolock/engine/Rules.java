// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** The rules for the settings of a locker; an error names the rule and the value that breaks it. */
final class Rules {

  private Rules() {}

  static void given(String name, @Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException(name + " must not be null");
    }
  }

  /** The value in whole milliseconds, rounded up. */
  static Duration duration(String name, @Nullable Duration value, Duration least, Duration most) {
    if (value == null || value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          name + " must be between " + shown(least) + " and " + shown(most) + ", was " + value);
    }
    Duration whole = value.truncatedTo(ChronoUnit.MILLIS);
    return whole.equals(value) ? value : whole.plusMillis(1);
  }

  private static String shown(Duration duration) {
    return duration.toHours() > 0 ? duration.toHours() + " h" : duration.toMillis() + " ms";
  }
}
