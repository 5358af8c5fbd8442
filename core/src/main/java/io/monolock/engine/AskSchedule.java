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
 * The attempts of one subscription: asks the store for the keys, and decides when to ask again.
 *
 * <h2>When the next attempt is made</h2>
 *
 * <p>A refusal is passed to the user's retry spec, which says when to try again. The spec does not
 * see the attempts made in between: when the holder's ttl ends, after a wake-up, and once a second
 * while others stand in line behind. A wake-up that comes while an attempt is under way is not
 * lost: if that attempt is refused, another one follows. After the first refusal the line
 * subscribes to the store's wake-ups, and the attempt is repeated as soon as they flow; the repeat
 * does not count as an attempt of its own. Each refusal lengthens the gap between attempts that
 * wake-ups cause, so that a lock that other processes pass around does not keep this one busy.
 *
 * <p>There is at most one attempt under way that is not overdue.
 */
final class AskSchedule implements WaitLine.Waiter {

  /** Called with what comes of the attempts, on any thread. */
  interface Acquirer {
    /** The keys are ours; at most once. */
    void granted(HeldLock lock);

    /** The first attempt was refused, or others are first in the line; at most once. */
    void waiting();

    /** An attempt failed, and no other one follows. */
    void failed(Throwable problem);

    /** The retry spec allows no other attempt. */
    void gaveUp(@Nullable Throwable specError);

    /** The error for keys that are held elsewhere for this long, null for ever. */
    LockNotAcquiredException notAcquired(int attempts, @Nullable Duration remaining);
  }

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);
  private static final long FIRST_GAP = 250_000;
  private static final long LONGEST_GAP = Duration.ofMillis(5).toNanos();

  private final LockerContext locker;
  private final Claim claim;
  private final Acquirer acquirer;

  /** Null for a single attempt. */
  private volatile @Nullable WaitLine line;

  /** Whether the line is that of the locker, where others stand, too. */
  private volatile boolean shared;

  private @Nullable RetryDriver retryDriver;
  private @Nullable PendingAsk current;
  private int attempts;
  private long refusedAt;
  private long gap;
  private boolean waitingReported;
  private boolean woken;

  /** Woken to repeat the attempt that was made before wake-ups flowed. */
  private boolean wokenToRepeat;

  private boolean over;
  private boolean served;
  private TimerWheel.@Nullable Task next;

  AskSchedule(LockerContext locker, Claim claim, Acquirer acquirer) {
    this.locker = locker;
    this.claim = claim;
    this.acquirer = acquirer;
  }

  /** Makes one attempt and no more. */
  void once() {
    ask();
  }

  /** Makes attempts when it is our turn in the locker's line for these keys. */
  void inLine() {
    shared = true;
    WaitLine line;
    do {
      line = locker.lines.of(locker, claim.keys);
      this.line = line;
      if (line.isOccupied()) {
        reportWaiting();
      }
    } while (!line.join(this));
    leaveIfEnded(line);
  }

  /** Makes attempts in a line of our own. */
  void alone() {
    WaitLine line = new WaitLine(locker, claim.keys);
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

  synchronized int attempts() {
    return attempts;
  }

  /** Makes no more attempts. The answer to the one under way goes to the claim only. */
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
    if (retryDriver != null) {
      retryDriver.cancel();
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

  private void ask(boolean isRepeat) {
    PendingAsk pending;
    synchronized (this) {
      if (over || current != null) {
        return;
      }
      pending = begin();
      if (!isRepeat) {
        attempts++;
      }
    }
    claim.acquire(timeout(), pending);
  }

  @Override
  public boolean receive(Release release) {
    PendingAsk pending;
    synchronized (this) {
      if (over) {
        return false;
      }
      pending = begin();
      pending.isHandOver = true;
    }
    return claim.take(timeout(), () -> release.handOver(claim), pending);
  }

  private PendingAsk begin() {
    PendingAsk pending = new PendingAsk();
    current = pending;
    woken = false;
    wokenToRepeat = false;
    if (next != null) {
      next.cancel();
      next = null;
    }
    return pending;
  }

  private Duration timeout() {
    Duration ttl = claim.options.ttl();
    return ttl.compareTo(locker.commandTimeout) < 0 ? ttl : locker.commandTimeout;
  }

  @Override
  public void wake(boolean toRepeat) {
    long soonest;
    synchronized (this) {
      woken = true;
      wokenToRepeat = toRepeat;
      soonest = refusedAt + gap;
    }
    askBy(soonest, toRepeat);
  }

  @Override
  public void askBy(long time) {
    askBy(time, false);
  }

  private void askBy(long time, boolean isRepeat) {
    boolean now;
    synchronized (this) {
      if (over || current != null) {
        return;
      }
      now = time <= locker.now();
      if (!now && (next == null || time < next.time())) {
        plan(time, isRepeat);
      }
    }
    if (now) {
      ask(isRepeat);
    }
  }

  private void plan(long time, boolean isRepeat) {
    if (next != null) {
      next.cancel();
    }
    next = locker.wheel.at(time, () -> ask(isRepeat));
  }

  /** Called by the retry spec. */
  private void tryAgain() {
    long soonest;
    synchronized (this) {
      soonest = refusedAt + SHORTEST_PAUSE.toNanos();
    }
    askBy(soonest);
  }

  private void reportWaiting() {
    synchronized (this) {
      if (waitingReported) {
        return;
      }
      waitingReported = true;
    }
    acquirer.waiting();
  }

  /** One attempt, answered in time, late, or not at all. */
  private final class PendingAsk implements Claim.GrantListener {

    private final long askedAt = locker.now();
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
          failed(locker.unanswered(UNKNOWN_OUTCOME));
        }
      }
    }

    @Override
    public void failed(StoreFailure failure) {
      if (failure.isTransient()) {
        storeFailed(this, failure);
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
    if (line != null && shared) {
      if (line.served(this, claim, byHandOver)) {
        claim.holdsThrough(line);
      }
    } else if (line != null) {
      line.leave(this);
    }
    acquirer.granted(lock);
  }

  private void refused(PendingAsk pending, @Nullable Duration remaining) {
    LockNotAcquiredException problem = acquirer.notAcquired(attempts(), remaining);
    WaitLine line = this.line;
    if (line == null) {
      acquirer.failed(problem);
      return;
    }
    line.lastAnswer().busy(locker.now(), remaining);
    if (isCurrent(pending)) {
      reportWaiting();
      line.refused();
      pause(
          line,
          pending,
          remaining == null ? Long.MAX_VALUE : remaining.plus(SHORTEST_PAUSE).toNanos());
      reportToSpec(problem);
    }
  }

  private void storeFailed(PendingAsk pending, StoreFailure failure) {
    LockStoreException problem = claim.failure("lock", failure);
    WaitLine line = this.line;
    if (line == null) {
      acquirer.failed(problem);
      return;
    }
    line.lastAnswer().failed(failure);
    if (isCurrent(pending)) {
      reportWaiting();
      pause(line, pending, Long.MAX_VALUE);
      reportToSpec(problem);
    }
  }

  private synchronized boolean isCurrent(PendingAsk pending) {
    return pending.equals(current);
  }

  /** The attempt is over; the next one is made after this time at the latest. */
  private void pause(WaitLine line, PendingAsk pending, long longest) {
    long longestForOthers = line.hasOthers() ? WaitLine.LONGEST_PAUSE.toNanos() : Long.MAX_VALUE;
    long delay;
    synchronized (this) {
      if (!pending.equals(current)) {
        return;
      }
      current = null;
      refusedAt = locker.now();
      gap = gap == 0 ? FIRST_GAP : Math.min(2 * gap, LONGEST_GAP);
      delay = woken ? gap : Math.min(longest, longestForOthers);
      if (delay != Long.MAX_VALUE) {
        plan(refusedAt + delay, wokenToRepeat);
      }
    }
  }

  /** Runs users' code, so it is called on their scheduler. */
  private void reportToSpec(LockException problem) {
    RetryDriver driver;
    synchronized (this) {
      if (over) {
        return;
      }
      if (retryDriver == null) {
        retryDriver =
            new RetryDriver(
                claim.options.retry(),
                locker.publishOn,
                claim.context,
                this::tryAgain,
                acquirer::gaveUp);
      }
      driver = retryDriver;
    }
    if (!driver.isAwaitingSpec()) {
      locker.publish(() -> driver.failed(problem));
    }
  }
}
