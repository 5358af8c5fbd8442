// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import io.monolock.LockOptions;
import java.time.Duration;
import reactor.util.retry.Retry;

/**
 * How big the show is.
 *
 * @param seats how many seats are for sale
 * @param instances how many instances of the service sell them
 * @param buyers how many buyers come to each instance
 * @param ttl how long the lock of an instance that dies stays taken
 * @param hold how long a sale takes between its read and its write
 */
record SalePlan(int seats, int instances, int buyers, Duration ttl, Duration hold) {

  /**
   * Without a lock the number of seats left jumps up again and again, so the sale needs a limit.
   */
  static final Duration LONGEST_UNGUARDED_SALE = Duration.ofSeconds(10);

  private static final Duration LONGEST_HOLD = Duration.ofMinutes(1);

  SalePlan {
    ttl = LockOptions.of(ttl).ttl(); // checks it
    check("seats", seats, 100_000);
    check("instances", instances, 100);
    check("buyers", buyers, 10_000);
    if (hold.isNegative() || hold.compareTo(LONGEST_HOLD) > 0) {
      throw new IllegalArgumentException("hold must be between 0 and 1 minute, was " + hold);
    }
  }

  private static void check(String name, int value, int most) {
    if (value < 1 || value > most) {
      throw new IllegalArgumentException(
          "%s must be between 1 and %d, was %d".formatted(name, most, value));
    }
  }

  /** How every instance takes the lock of the show. */
  LockOptions lockOptions() {
    return LockOptions.of(ttl)
        .fenced(true)
        .waitAtMost(longestSale())
        .retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(20)));
  }

  /** How long it can take to sell all seats one after the other, with a wide margin. */
  Duration longestSale() {
    return Duration.ofMinutes(2).plus(hold.multipliedBy(2L * seats));
  }

  /** How long all of it can take. */
  Duration longestRun() {
    return LONGEST_UNGUARDED_SALE.plus(longestSale()).plusMinutes(1);
  }
}
