// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.LockException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockStoreException;
import io.monolock.store.Grant;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one acquisition to get its keys.
 *
 * <h2>When the next one is made</h2>
 *
 * <p>A refused attempt is told to the user's retry spec, which says when to try again. What it does
 * not hear of are the attempts made in between: when the holder's ttl ends, when a wake-up came,
 * and after a second while others stand in line behind. A wake-up that comes while an attempt is
 * under way is not lost: if that is refused, another one follows. The first refusal is followed by
 * another attempt as soon as the store gives hints, which counts as the same one. Each refusal
 * makes the pause that wake-ups have to keep a little longer, so that a lock that many processes
 * hand around among themselves does not keep this one busy.
 *
 * <p>There is at most one attempt under way that is not overdue.
 */
final class AskSchedule implements WaitLine.Waiter {

  /** Whoever makes the attempts; told on any thread. */
  interface Acquirer {
    /** The keys are ours; at most once. */
    void granted(HeldLock lock);

    /** Has to wait; at most once. */
    void waiting();

    /** An attempt failed, and there will be no other one. */
    void failed(Throwable problem);

    /** The retry spec allows no other one, with an error of its own or without. */
    void gaveUp(@Nullable Throwable ofItsOwn);

    /** The error that says that somebody else holds the keys for this long, null for ever. */
    LockNotAcquiredException notAcquired(int attempts, @Nullable Duration remaining);
  }

  private static final Duration FLOOR = Duration.ofMillis(1);
  private static final long FIRST_GAP = 250_000;
  private static final long LONGEST_GAP = Duration.ofMillis(5).toNanos();

  private final LockerContext runtime;
  private final Claim claim;
  private final Acquirer acquirer;

  /** Null for a single attempt. */
  private volatile @Nullable WaitLine line;

  /** Others may stand in the line, too. */
  private volatile boolean isShared;

  private @Nullable RetryDriver pacer;
  private @Nullable Attempt current;
  private int made;
  private long refusedAt;
  private long gap;
  private boolean announced;
  private boolean woken;

  /** Woken to repeat an attempt that was made before the store gave hints. */
  private boolean wokenForHints;

  private boolean over;
  private boolean served;
  private TimerWheel.@Nullable Task next;

  AskSchedule(LockerContext runtime, Claim claim, Acquirer acquirer) {
    this.runtime = runtime;
    this.claim = claim;
    this.acquirer = acquirer;
  }

  /** Makes one attempt and no more. */
  void once() {
    ask();
  }

  /** Makes attempts when it is our turn in the locker's line for these keys. */
  void inLine() {
    isShared = true;
    WaitLine line;
    do {
      line = runtime.lines.of(runtime, claim.keys);
      this.line = line;
      if (line.isOccupied()) {
        announceWaiting();
      }
    } while (!line.join(this));
    leaveIfEnded(line);
  }

  /** Makes attempts in a line of our own. */
  void alone() {
    WaitLine line = new WaitLine(runtime, claim.keys);
    this.line = line;
    line.join(this);
    leaveIfEnded(line);
  }

  private void leaveIfEnded(WaitLine line) {
    boolean ended;
    synchronized (this) {
      ended = over && !served;
    }
    if (ended) {
      line.leave(this);
    }
  }

  /** What is known of the keys when waiting ends. */
  LastAnswer lastAnswer() {
    WaitLine line = this.line;
    return line != null ? line.lastAnswer() : new LastAnswer();
  }

  synchronized int made() {
    return made;
  }

  /** Makes no more attempts. What is under way is heard of by the claim only. */
  void end() {
    WaitLine line = this.line;
    if (stop() && line != null) {
      line.leave(this);
    }
  }

  private synchronized boolean stop() {
    if (over) {
      return false;
    }
    over = true;
    current = null;
    if (pacer != null) {
      pacer.cancel();
    }
    if (next != null) {
      next.cancel();
    }
    return true;
  }

  @Override
  public void ask() {
    ask(false);
  }

  private void ask(boolean asRepetition) {
    Attempt attempt;
    synchronized (this) {
      if (over || current != null) {
        return;
      }
      attempt = begin();
      if (!asRepetition) {
        made++;
      }
    }
    claim.acquire(timeout(), attempt);
  }

  @Override
  public boolean receive(Release release) {
    Attempt attempt;
    synchronized (this) {
      if (over) {
        return false;
      }
      attempt = begin();
      attempt.isHandOver = true;
    }
    return claim.take(timeout(), () -> release.handOver(claim), attempt);
  }

  private Attempt begin() {
    Attempt attempt = new Attempt();
    current = attempt;
    woken = false;
    wokenForHints = false;
    if (next != null) {
      next.cancel();
      next = null;
    }
    return attempt;
  }

  private Duration timeout() {
    Duration ttl = claim.options.ttl();
    return ttl.compareTo(runtime.commandTimeout) < 0 ? ttl : runtime.commandTimeout;
  }

  @Override
  public void wake(boolean forHints) {
    long soonest;
    synchronized (this) {
      woken = true;
      wokenForHints = forHints;
      soonest = refusedAt + gap;
    }
    askBy(soonest, forHints);
  }

  @Override
  public void askBy(long time) {
    askBy(time, false);
  }

  private void askBy(long time, boolean asRepetition) {
    boolean now;
    synchronized (this) {
      if (over || current != null) {
        return;
      }
      now = time <= runtime.now();
      if (!now && (next == null || time < next.time())) {
        plan(time, asRepetition);
      }
    }
    if (now) {
      ask(asRepetition);
    }
  }

  private void plan(long time, boolean asRepetition) {
    if (next != null) {
      next.cancel();
    }
    next = runtime.wheel.at(time, () -> ask(asRepetition));
  }

  /** The retry spec says so. */
  private void tryAgain() {
    long soonest;
    synchronized (this) {
      soonest = refusedAt + FLOOR.toNanos();
    }
    askBy(soonest);
  }

  private void announceWaiting() {
    synchronized (this) {
      if (announced) {
        return;
      }
      announced = true;
    }
    acquirer.waiting();
  }

  /** One command, answered in time, late, or not at all. */
  private final class Attempt implements Claim.Asker {

    private final long askedAt = runtime.now();
    private boolean isHandOver;

    @Override
    public void answered(Grant grant) {
      if (grant instanceof Grant.Busy busy) {
        refused(this, busy.remaining().orElse(null));
      } else if (grant instanceof Grant.Granted given) {
        HeldLock lock = new HeldLock(claim, given.fencingToken(), askedAt);
        if (lock.isValid()) {
          granted(lock, isHandOver);
        } else {
          failed(runtime.unanswered(UNKNOWN_OUTCOME));
        }
      }
    }

    @Override
    public void failed(StoreFailure failure) {
      if (failure.isTransient()) {
        troubled(this, failure);
      } else {
        acquirer.failed(claim.failure("lock", failure));
      }
    }
  }

  private void granted(HeldLock lock, boolean byHandOver) {
    WaitLine line = this.line;
    synchronized (this) {
      if (!stop()) {
        return;
      }
      served = true;
    }
    if (line != null && isShared) {
      if (line.served(this, claim, byHandOver)) {
        claim.holdsThrough(line);
      }
    } else if (line != null) {
      line.leave(this);
    }
    acquirer.granted(lock);
  }

  private void refused(Attempt attempt, @Nullable Duration remaining) {
    LockNotAcquiredException problem = acquirer.notAcquired(made(), remaining);
    WaitLine line = this.line;
    if (line == null) {
      acquirer.failed(problem);
      return;
    }
    line.lastAnswer().busy(runtime.now(), remaining);
    if (isCurrent(attempt)) {
      announceWaiting();
      line.refused();
      pause(line, attempt, remaining == null ? Long.MAX_VALUE : remaining.plus(FLOOR).toNanos());
      tellSpec(problem);
    }
  }

  private void troubled(Attempt attempt, StoreFailure failure) {
    LockStoreException problem = claim.failure("lock", failure);
    WaitLine line = this.line;
    if (line == null) {
      acquirer.failed(problem);
      return;
    }
    line.lastAnswer().failed(failure);
    if (isCurrent(attempt)) {
      announceWaiting();
      pause(line, attempt, Long.MAX_VALUE);
      tellSpec(problem);
    }
  }

  private synchronized boolean isCurrent(Attempt attempt) {
    return attempt.equals(current);
  }

  /** The attempt is over; the next one is made after this time, if nothing comes before. */
  private void pause(WaitLine line, Attempt attempt, long longest) {
    long longestForOthers = line.hasOthers() ? WaitLine.LONGEST_PAUSE.toNanos() : Long.MAX_VALUE;
    long delay;
    synchronized (this) {
      if (!attempt.equals(current)) {
        return;
      }
      current = null;
      refusedAt = runtime.now();
      gap = gap == 0 ? FIRST_GAP : Math.min(2 * gap, LONGEST_GAP);
      delay = woken ? gap : Math.min(longest, longestForOthers);
      if (delay != Long.MAX_VALUE) {
        plan(refusedAt + delay, wokenForHints);
      }
    }
  }

  /** Users' code, so it is called on their scheduler. */
  private void tellSpec(LockException problem) {
    RetryDriver spec;
    synchronized (this) {
      if (over) {
        return;
      }
      if (pacer == null) {
        pacer =
            new RetryDriver(
                claim.options.retry(),
                runtime.publishOn,
                claim.context,
                this::tryAgain,
                acquirer::gaveUp);
      }
      spec = pacer;
    }
    if (!spec.isThinking()) {
      runtime.publish(() -> spec.failed(problem));
    }
  }
}
