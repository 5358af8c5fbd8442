// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import java.time.Duration;
import java.util.Locale;

/**
 * The result of both sales.
 *
 * @param withoutLock the sale without a lock
 * @param underLock the sale under the lock
 * @param locks what happened to the locks meanwhile
 * @param locksLeft how many locks are left in Redis
 */
record SalesReport(Sale withoutLock, Sale underLock, LockStatistics locks, long locksLeft) {

  /** Whether the lock has failed: under it a seat was sold twice. */
  boolean soldTwice() {
    return underLock.ledger().soldTwice() > 0;
  }

  /** The result as a table and a sentence. */
  String text() {
    Ledger unguarded = withoutLock.ledger();
    Ledger locked = underLock.ledger();
    return String.join(
        System.lineSeparator(),
        row("", "without a lock", "under the lock"),
        row("seats sold", count(unguarded.seatsSold()), count(locked.seatsSold())),
        row("sold twice", count(unguarded.soldTwice()), count(locked.soldTwice())),
        row("time", time(withoutLock.time()), time(underLock.time())),
        row("acquisitions", count(locks.acquisitions())),
        row("wait p50", time(locks.waitAt(50))),
        row("wait p99", time(locks.waitAt(99))),
        row("wait max", time(locks.waitAt(100))),
        row("refreshes", count(locks.refreshes())),
        row("fencing tokens increase", locked.fencingTokensIncrease() ? "yes" : "no"),
        row("locks left in Redis", count(locksLeft)),
        "",
        conclusion());
  }

  private String conclusion() {
    return soldTwice()
        ? "THE LOCK HAS FAILED: under it seats were sold twice."
        : "Under the lock no seat was sold twice.";
  }

  private static String row(String name, String underLock) {
    return row(name, "", underLock);
  }

  private static String row(String name, String withoutLock, String underLock) {
    return "%-24s%16s%16s".formatted(name, withoutLock, underLock);
  }

  private static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  private static String time(Duration time) {
    double millis = time.toNanos() / 1e6;
    return millis < 1_000
        ? String.format(Locale.ROOT, "%.1f ms", millis)
        : String.format(Locale.ROOT, "%.2f s", millis / 1_000);
  }
}
