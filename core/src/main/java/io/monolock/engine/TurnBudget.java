// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;

/**
 * How long this locker keeps keys among its own callers, and how long it leaves them to other
 * processes then. Guarded by its line.
 *
 * <p>A turn may last the longest time as long as no other process was seen, that is: no attempt
 * after a step back was refused. Then turns begin short, and each one after which no other process
 * came doubles the next one.
 */
final class TurnBudget {

  private static final long FIRST_TURN = MILLISECONDS.toNanos(5);
  private static final long SHORTEST_STEP_BACK = MILLISECONDS.toNanos(3);
  private static final long LONGEST_STEP_BACK = MILLISECONDS.toNanos(20);

  private final long longest;
  private long allowed;
  private long steppedBackUntil;
  private boolean isSteppingBack;

  /** How often in a row another process came, or zero when none was seen lately. */
  private int seen;

  TurnBudget(Duration longest) {
    this.longest = Nanos.of(longest);
    this.allowed = this.longest;
  }

  /**
   * Whether a turn is over.
   *
   * @param begunAt when this locker got the keys
   */
  boolean isOver(long begunAt, long now) {
    return now - begunAt >= allowed;
  }

  /** The time until which other processes get their turn. */
  long stepBack(long begunAt, long now) {
    long turn = Math.min(now - begunAt, longest);
    long pause = Math.max(SHORTEST_STEP_BACK, turn / 10);
    if (seen > 0) {
      pause = Math.max(pause, Math.min(pause << Math.min(seen, 8), LONGEST_STEP_BACK));
    }
    isSteppingBack = true;
    steppedBackUntil = now + pause;
    return steppedBackUntil;
  }

  /** An attempt got the keys. */
  void granted() {
    if (isSteppingBack) {
      isSteppingBack = false;
      seen = 0;
      allowed = Math.min(longest, 2 * allowed);
    }
  }

  /** An attempt was refused. */
  void refused(long sentAt) {
    if (isSteppingBack && sentAt >= steppedBackUntil) {
      isSteppingBack = false;
      seen++;
      allowed = Math.min(longest, FIRST_TURN);
    }
  }
}
