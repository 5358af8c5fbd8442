// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import java.time.Duration;

/**
 * How many hand-overs in a row a locker may do before other processes get their turn.
 *
 * <p>A hand-over costs a third of what a release and a new acquisition cost, but a waiter in
 * another process never gets the lock that way. So after some hand-overs in a row the keys are
 * freed, and this locker steps back for a moment. If no other process took them, twice as many
 * hand-overs are allowed the next time; if one did, it is the first number again.
 */
final class HandOvers {

  /**
   * The limits.
   *
   * @param most how many in a row at first, 0 for none
   * @param longest how long a row may last
   * @param stepBack how long to leave the lock to others
   */
  record Limits(int most, Duration longest, Duration stepBack) {}

  /** However often no other process took the keys. */
  static final int MOST_EVER = 4_096;

  private final Limits limits;
  private int allowed;
  private int made;
  private long rowBegunAt;
  private boolean steppedBack;

  HandOvers(Limits limits) {
    this.limits = limits;
    this.allowed = limits.most;
  }

  /** Counts one more and returns true, or false if this locker has to step back. */
  boolean oneMore(long now) {
    if (made == 0) {
      rowBegunAt = now;
    }
    if (made < allowed && now - rowBegunAt < limits.longest.toNanos()) {
      made++;
      return true;
    }
    steppedBack = true;
    made = 0;
    return false;
  }

  boolean hasSteppedBack() {
    return steppedBack;
  }

  /** The keys were acquired again: if that was after a step back, no other process took them. */
  void taken() {
    made = 0;
    if (steppedBack) {
      steppedBack = false;
      allowed = Math.max(allowed, Math.min(2 * allowed, MOST_EVER));
    }
  }

  /** Another process has the keys. */
  void refused() {
    made = 0;
    steppedBack = false;
    allowed = limits.most;
  }
}
