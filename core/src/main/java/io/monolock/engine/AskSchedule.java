// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.jspecify.annotations.Nullable;

/**
 * When a line asks next. Guarded by the line.
 *
 * <p>There is at most one attempt under way that is not overdue, and one time at which the next one
 * is due; whatever asks for an attempt makes it due sooner. What comes while an attempt is under
 * way counts when it is over. Each refusal lengthens the gap between attempts that wake-ups cause,
 * so that a lock that other processes pass around does not keep this one busy. A step back ends at
 * its time, whatever comes.
 */
final class AskSchedule {

  private static final long FIRST_GAP = 250_000;
  private static final long LONGEST_GAP = MILLISECONDS.toNanos(5);
  private static final long SHORTEST_PAUSE = MILLISECONDS.toNanos(1);

  private final LockerContext locker;
  private final Runnable whenDue;
  private @Nullable LineAttempt attempt;
  private long due = Nanos.NEVER;
  private long notBefore = Long.MIN_VALUE;
  private long overAt = Long.MIN_VALUE;
  private long gap;
  private boolean isWoken;

  /** Whether the attempt that is due only repeats the last one, as wake-ups flow from now on. */
  private boolean isRepeat;

  private TimerWheel.@Nullable Task task;

  AskSchedule(LockerContext locker, Runnable whenDue) {
    this.locker = locker;
    this.whenDue = whenDue;
  }

  boolean isAsking() {
    return attempt != null;
  }

  @Nullable LineAttempt underWay() {
    return attempt;
  }

  boolean isUnderWay(LineAttempt attempt) {
    return attempt == this.attempt;
  }

  boolean isRepeat() {
    return isRepeat;
  }

  boolean isDue(long now) {
    return attempt == null && due <= now;
  }

  void begin(LineAttempt attempt) {
    this.attempt = attempt;
    due = Nanos.NEVER;
    isWoken = false;
    isRepeat = false;
  }

  /** An attempt is due no later than at this time. */
  void askBy(long time) {
    long soonest = Math.max(time, notBefore);
    if (soonest < due) {
      due = soonest;
      isRepeat = false;
    }
  }

  /** As {@link #askBy}, but soon after a refusal. */
  void askAfterPause() {
    askBy(overAt == Long.MIN_VALUE ? locker.now() : overAt + SHORTEST_PAUSE);
  }

  /** The keys went to a waiter without an attempt; the next one expects them until this time. */
  void servedUntil(long time) {
    due = time;
    notBefore = Long.MIN_VALUE;
    gap = 0;
    isRepeat = false;
  }

  /** The attempt that is due is not made before this time. */
  void expectUntil(long time) {
    due = time;
  }

  void stepBackUntil(long time) {
    notBefore = time;
    due = time;
    isRepeat = false;
  }

  /** The keys may be free. */
  void wake(boolean toRepeat) {
    isWoken = true;
    if (attempt == null) {
      long before = due;
      askBy(overAt == Long.MIN_VALUE ? locker.now() : overAt + gap);
      isRepeat = due < before ? toRepeat : isRepeat;
    } else {
      isRepeat = toRepeat;
    }
  }

  /** The attempt is over without the keys; the next one is due after this time at the latest. */
  void over(long now, long longest) {
    boolean toRepeat = isWoken && isRepeat;
    attempt = null;
    overAt = now;
    gap = gap == 0 ? FIRST_GAP : Math.min(2 * gap, LONGEST_GAP);
    long before = due;
    askBy(Nanos.sum(now, isWoken ? gap : longest));
    isRepeat = due < before ? toRepeat : isRepeat;
  }

  /** The attempt is over with the keys, or counts no more. */
  void clear() {
    attempt = null;
    due = Nanos.NEVER;
    notBefore = Long.MIN_VALUE;
    isWoken = false;
  }

  /** A grant ends the series of refusals. */
  void granted() {
    clear();
    gap = 0;
    overAt = Long.MIN_VALUE;
  }

  /** Makes sure that {@code whenDue} is called when an attempt is due. */
  void plan() {
    if (due == Nanos.NEVER || attempt != null || (task != null && task.time() <= due)) {
      return;
    }
    if (task != null) {
      task.cancel();
    }
    task = locker.wheel.at(due, whenDue);
  }

  /** The planned time has come. */
  void taskRan() {
    task = null;
  }

  void stop() {
    clear();
    if (task != null) {
      task.cancel();
      task = null;
    }
  }
}
