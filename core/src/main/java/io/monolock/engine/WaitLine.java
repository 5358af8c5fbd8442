// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import io.monolock.LockOptions;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * The waiters for one set of keys in this locker, in order, and the attempts to get the keys.
 *
 * <p>The line asks, not the waiter: attempts are made for the first one, and go on when it leaves.
 * A grant serves the waiter that is first when it comes; a refusal counts for all that had joined
 * when it was sent, and a later one that becomes the first asks afresh. While the line holds the
 * keys through one of its waiters, the next one expects them soon, and asks only if it does not get
 * them.
 *
 * <p>A line without waiters and holder is over. A single attempt, and a token of the user's, have a
 * line of their own. No waiter, store or lease is called while the monitor is held, other than to
 * make a lease for the line; what is to be asked is asked by one thread at a time.
 */
final class WaitLine {

  /** Who else stands in a line. */
  enum Kind {
    /** All waiters of the locker for these keys. */
    SHARED,
    /** Nothing but a waiter with a token of the user's, which may hold the keys already. */
    ALONE,
    /** Nothing but a single attempt, which never waits. */
    SINGLE
  }

  /** While others stand behind, the line asks at least this often. */
  static final long LONGEST_PAUSE = SECONDS.toNanos(1);

  /** How long the first waiter expects to be given the keys by their holder in this locker. */
  private static final long EXPECTATION = MILLISECONDS.toNanos(10);

  private static final long AFTER_EXPIRY = MILLISECONDS.toNanos(1);

  private static final AtomicIntegerFieldUpdater<WaitLine> LOOKS =
      AtomicIntegerFieldUpdater.newUpdater(WaitLine.class, "looks");

  final LockKeys keys;
  private final LockerContext locker;
  final Kind kind;
  private final @Nullable String token;
  private final MemberSet<AcquireSubscription> waiters = new MemberSet<>(); // all guarded by this
  private final LastAnswer lastAnswer = new LastAnswer();
  private final AskSchedule schedule;
  private @Nullable TurnBudget budget;
  private @Nullable LineWakeUps wakeUps;

  @SuppressWarnings("UnusedVariable") // by LOOKS
  private volatile int looks;

  /** What the line asks for. */
  private @Nullable Lease asked;

  /** What a waiter got through this line, as long as it is not freed. */
  private @Nullable Lease held;

  private long joined;

  /** How many had joined when the last refusal was sent. */
  private long refusedUpTo;

  /** Whether the first waiter was refused, or has to wait for others. */
  private boolean isContended;

  private boolean isOver;

  /**
   * A line.
   *
   * @param token the user's, null to ask with tokens of ours
   */
  WaitLine(LockerContext locker, LockKeys keys, Kind kind, @Nullable String token) {
    this.locker = locker;
    this.keys = keys;
    this.kind = kind;
    this.token = token;
    this.schedule = new AskSchedule(locker, this::due);
  }

  /** Whether other lines may ask for keys of this one. */
  boolean isSpanning() {
    return kind != Kind.SHARED || keys.size() > 1;
  }

  private TurnBudget budget() {
    if (budget == null) {
      budget = new TurnBudget(locker.turn);
    }
    return budget;
  }

  private synchronized LineWakeUps wakeUps() {
    if (wakeUps == null) {
      wakeUps = new LineWakeUps(locker, keys, this::wake);
      if (isOver) {
        wakeUps.stop();
      }
    }
    return wakeUps;
  }

  synchronized boolean isOver() {
    return isOver;
  }

  LastAnswer lastAnswer() {
    return lastAnswer;
  }

  /** Whether there is a waiter that must not be overtaken. */
  synchronized boolean isContended() {
    return !waiters.isEmpty() && isContended;
  }

  /** The number of the first waiter, {@link Nanos#NEVER} if there is none. */
  synchronized long firstId() {
    AcquireSubscription first = waiters.first();
    return first == null ? Nanos.NEVER : first.id;
  }

  synchronized List<AcquireSubscription> waiters() {
    return waiters.all();
  }

  /** Puts the waiter at the end; false if this line is over, and a new one is needed. */
  boolean join(AcquireSubscription waiter) {
    boolean hasToWait;
    synchronized (this) {
      if (isOver) {
        return false;
      }
      hasToWait = !waiters.isEmpty() || held != null;
      if (waiter.joined() == 0) {
        waiters.add(waiter);
      } else {
        waiters.addFirst(waiter); // it was served before, and did not get the lock in time
      }
      waiter.joined(++joined);
      long now = locker.now();
      if (waiters.hasOthers()) {
        schedule.askBy(now + LONGEST_PAUSE);
      } else {
        schedule.askBy(held == null ? now : now + EXPECTATION);
      }
      isContended |= hasToWait;
    }
    if (hasToWait) {
      waiter.reportWaiting();
    }
    if (hasToWait || locker.lines.hasOverlapping(this)) {
      locker.lines.contended(this);
    }
    look();
    return true;
  }

  /** The waiter leaves without the keys. */
  void leave(AcquireSubscription waiter) {
    Lease given = null;
    LineAttempt underWay = null;
    AcquireSubscription next = null;
    boolean wasFirst;
    synchronized (this) {
      wasFirst = waiter.equals(waiters.first());
      if (!waiters.remove(waiter)) {
        return;
      }
      if (waiters.isEmpty()) {
        underWay = schedule.underWay();
        given = giveUp();
      } else if (wasFirst && !schedule.isAsking()) {
        next = waiters.first();
        if (next != null && next.joined() > refusedUpTo && held == null) {
          schedule.askBy(locker.now());
          next = null;
        }
      }
    }
    giveUp(given, underWay);
    if (wasFirst) {
      locker.lines.left(this);
    }
    if (next != null && !locker.leases.isClosed()) {
      next.refusedBefore();
    }
    endIfUnused();
    look();
  }

  /** No waiter is left: the answer to an attempt that is under way goes to the lease only. */
  private @Nullable Lease giveUp() {
    Lease given = asked;
    asked = null;
    isContended = false;
    schedule.stop();
    return given;
  }

  /** An attempt that was not sent yet never is. */
  private void giveUp(@Nullable Lease given, @Nullable LineAttempt underWay) {
    if (underWay != null) {
      boolean unused = underWay.withdraw();
    }
    if (given != null) {
      given.leave(this);
    }
  }

  private void endIfUnused() {
    LineWakeUps wakeUps;
    synchronized (this) {
      if (isOver || !waiters.isEmpty() || held != null) {
        return;
      }
      isOver = true;
      schedule.stop();
      wakeUps = this.wakeUps;
    }
    if (wakeUps != null) {
      wakeUps.stop();
    }
    locker.lines.remove(this);
  }

  private void due() {
    synchronized (this) {
      schedule.taskRan();
    }
    look();
  }

  /** Asks if that is due; does nothing but that, so it may be called at any time. */
  void look() {
    if (LOOKS.getAndIncrement(this) != 0) {
      return;
    }
    int seen = 1;
    do {
      LineAttempt attempt;
      while ((attempt = nextAttempt()) != null) {
        attempt.ask();
      }
      seen = LOOKS.addAndGet(this, -seen);
    } while (seen != 0);
  }

  /** If so, this line is known to the others, so that it is looked at when that is over. */
  private boolean mustYield() {
    if (!locker.lines.mustYield(this)) {
      return false;
    }
    synchronized (this) {
      isContended |= !waiters.isEmpty();
    }
    locker.lines.contended(this);
    return locker.lines.mustYield(this);
  }

  private @Nullable LineAttempt nextAttempt() {
    if (locker.leases.isClosed() || (kind != Kind.SINGLE && mustYield())) {
      return null;
    }
    synchronized (this) {
      AcquireSubscription first = waiters.first();
      if (first == null || !schedule.isDue(locker.now())) {
        if (first != null) {
          schedule.plan();
        }
        return null;
      }
      if (!schedule.isRepeat()) {
        first.countAttempt();
      }
      return attemptFor(first, null);
    }
  }

  private LineAttempt attemptFor(AcquireSubscription first, @Nullable LeaseCall<Boolean> from) {
    Lease lease = asked != null ? asked : locker.leases.open(this, token);
    asked = lease;
    LineAttempt attempt = new LineAttempt(this, lease, first, joined, from);
    schedule.begin(attempt);
    return attempt;
  }

  // what comes of attempts

  void refused(LineAttempt attempt, @Nullable Duration remaining) {
    AcquireSubscription told;
    synchronized (this) {
      lastAnswer.busy(locker.now(), remaining);
      long longest = remaining == null ? Nanos.NEVER : Nanos.sum(Nanos.of(remaining), AFTER_EXPIRY);
      told = over(attempt, longest);
      if (told != null && held == null) {
        budget().refused(attempt.askedAt);
      }
    }
    if (told != null) {
      told.refused(remaining);
      if (told.mayWait()) {
        wakeUps().start();
        locker.lines.contended(this);
      }
    }
    look();
  }

  void failed(LineAttempt attempt, StoreFailure failure) {
    AcquireSubscription told;
    synchronized (this) {
      lastAnswer.failed(failure);
      told = failure.isTransient() ? over(attempt, Nanos.NEVER) : null;
      if (!failure.isTransient() && schedule.isUnderWay(attempt)) {
        schedule.clear();
        refusedUpTo = 0;
        if (!attempt.cause.equals(waiters.first())) {
          schedule.askBy(locker.now());
        }
      }
    }
    if (!failure.isTransient()) {
      attempt.cause.failed(failure);
    } else if (told != null) {
      told.failed(failure);
    }
    look();
  }

  /** The keys will be freed by a release that was asked for before. */
  void askAgain(LineAttempt attempt) {
    synchronized (this) {
      if (schedule.isUnderWay(attempt)) {
        schedule.clear();
        schedule.askBy(locker.now());
      }
    }
    look();
  }

  /** The attempt is over without the keys; gives the waiter for which that counts. */
  private @Nullable AcquireSubscription over(LineAttempt attempt, long longest) {
    AcquireSubscription first = waiters.first();
    if (first == null || !schedule.isUnderWay(attempt)) {
      return null;
    }
    isContended = true;
    refusedUpTo = attempt.joined;
    schedule.over(locker.now(), waiters.hasOthers() ? Math.min(longest, LONGEST_PAUSE) : longest);
    if (first.joined() <= refusedUpTo) {
      return first;
    }
    schedule.askBy(locker.now());
    return null;
  }

  /** The keys are ours; false if no waiter takes them. */
  boolean granted(LineAttempt attempt, OptionalLong fencingToken) {
    long deadline = Nanos.after(attempt.askedAt, Grant.trustedFor(attempt.options().ttl()));
    AcquireSubscription served = null;
    boolean isLate;
    synchronized (this) {
      AcquireSubscription first = waiters.first();
      if (first == null || attempt.lease != asked) {
        return false;
      }
      isLate = locker.now() >= deadline;
      if (!isLate) {
        asked = null;
        if (!attempt.isTransfer() && budget != null) {
          budget.granted();
        }
        schedule.granted();
        if (first.equals(attempt.cause) || isAlike(attempt.options(), first.options)) {
          served = first;
          serve(first, attempt.lease);
        } else {
          held = attempt.lease;
        }
      }
    }
    if (isLate) {
      failed(attempt, locker.unanswered(UNKNOWN_OUTCOME));
      return false;
    }
    if (served == null) {
      attempt.lease.leave(this); // which hands the keys over to the first one
      return true;
    }
    HeldLock lock =
        new HeldLock(attempt.lease, keys, served, fencingToken, attempt.askedAt, deadline);
    attempt.lease.begin(lock, attempt);
    locker.lines.served(this, served.id);
    endIfUnused();
    served.granted(lock);
    look();
    return true;
  }

  static boolean isAlike(LockOptions some, LockOptions other) {
    return some.ttl().equals(other.ttl())
        && some.metadata().equals(other.metadata())
        && some.fenced() == other.fenced();
  }

  // what comes of holding

  /** Takes out the waiter that goes on with this lease as it is; null if there is none. */
  @Nullable AcquireSubscription next(Lease lease, LockOptions options) {
    if (locker.lines.mustYield(this)) {
      return null;
    }
    AcquireSubscription first;
    Lease given = null;
    LineAttempt underWay = null;
    synchronized (this) {
      first = waiters.first();
      if (first == null
          || !isAlike(options, first.options)
          || budget().isOver(lease.turnBegunAt(), locker.now())) {
        return null;
      }
      serve(first, lease);
      if (waiters.isEmpty()) {
        underWay = schedule.underWay();
        given = giveUp();
      }
    }
    giveUp(given, underWay);
    locker.lines.served(this, first.id);
    return first;
  }

  /**
   * The attempt that takes the keys over from this lease for the first waiter; null if there is
   * none, or it is the turn of other processes.
   */
  @Nullable LineAttempt transfer(Lease from, LeaseCall<Boolean> release) {
    if (locker.leases.isClosed() || locker.lines.mustYield(this)) {
      return null;
    }
    synchronized (this) {
      AcquireSubscription first = waiters.first();
      if (first == null) {
        return null;
      }
      long now = locker.now();
      if (budget().isOver(from.turnBegunAt(), now)) {
        schedule.stepBackUntil(budget().stepBack(from.turnBegunAt(), now));
        return null;
      }
      LineAttempt attempt = attemptFor(first, release);
      attempt.turnBegunAt = from.turnBegunAt();
      return attempt;
    }
  }

  private void serve(AcquireSubscription served, Lease lease) {
    boolean neverWaited = !isContended && held == null && !waiters.hasOthers();
    waiters.remove(served);
    if (neverWaited || kind != Kind.SHARED) {
      isContended = false;
      return;
    }
    held = lease;
    isContended = true;
    long now = locker.now();
    lastAnswer.busy(now, served.options.ttl());
    schedule.servedUntil(now + EXPECTATION);
    if (!waiters.isEmpty()) {
      schedule.plan();
    }
  }

  /**
   * Keys of this line are free: those of this lease, which may have been held through the line. If
   * another one was, it has lost them before.
   */
  void freed(@Nullable Lease lease) {
    synchronized (this) {
      if (lease != null && lease.equals(held)) {
        held = null;
      }
      if (!waiters.isEmpty()) {
        schedule.askBy(locker.now());
      }
    }
    endIfUnused();
    look();
  }

  private void wake(boolean toRepeat) {
    synchronized (this) {
      if (waiters.isEmpty()) {
        return;
      }
      if (held != null) {
        schedule.askBy(locker.now() + EXPECTATION); // mostly an echo of our own commands
      } else {
        schedule.wake(toRepeat);
      }
    }
    look();
  }

  /** The retry spec of a waiter says that it is time for an attempt. */
  void specAsks(AcquireSubscription waiter) {
    synchronized (this) {
      if (!waiter.equals(waiters.first())) {
        return;
      }
      schedule.askAfterPause();
    }
    look();
  }
}
