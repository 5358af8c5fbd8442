// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.LockStoreException;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * Gives keys of a lease back: to the next caller, see {@link HandOver}, or to the store. Once begun
 * it cannot be cancelled, and it goes on until the store has answered, refuses for good, or the
 * latest end of the keys is past.
 */
final class Release {

  private static final Logger LOG = LoggerFactory.getLogger(Release.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  final LockKeys keys;
  private final Lease lease;
  private final LockerContext locker;

  /** Null to clean up what no caller has. */
  private final @Nullable HeldLock handle;

  private final boolean isSilent;
  private final ReleaseOutcome outcome;
  private final boolean wasHeld;
  private final long begunAt;
  private boolean hasBegun; // guarded by this
  private boolean hasEnded; // guarded by this
  private boolean isNeedless;

  // written by one call after the other
  private volatile Duration pause = FIRST_PAUSE;

  /** Whether it was ours, and whether an answer that it is not may come of an earlier call. */
  private volatile boolean maybeDone;

  private volatile boolean isHandOverTried;
  private volatile @Nullable StoreFailure trouble;

  Release(Lease lease, LockKeys keys) {
    this(lease, keys, null, true, false);
  }

  /**
   * @param wasHeld whether the keys were ours, as far as is known
   */
  Release(Lease lease, HeldLock handle, boolean isSilent, boolean wasHeld) {
    this(lease, handle.keys, handle, isSilent, wasHeld);
  }

  private Release(
      Lease lease, LockKeys keys, @Nullable HeldLock handle, boolean isSilent, boolean wasHeld) {
    this.lease = lease;
    this.locker = lease.locker;
    this.keys = keys;
    this.handle = handle;
    this.isSilent = isSilent;
    this.wasHeld = wasHeld;
    this.begunAt = locker.now();
    this.outcome = new ReleaseOutcome(locker, this::unknownOutcome);
  }

  /** For a handle whose token another one has released: sends nothing, and answers false. */
  static Release needless(Lease lease, HeldLock handle) {
    Release release = new Release(lease, handle, true, false);
    release.isNeedless = true;
    boolean unused = release.end();
    release.outcome.set(false);
    return release;
  }

  boolean isNeedless() {
    return isNeedless;
  }

  /** Begins, at the first call. The lease knows of it already. */
  void begin() {
    synchronized (this) {
      if (hasBegun) {
        return;
      }
      hasBegun = true;
    }
    if (!wasHeld || handle == null || !HandOver.pass(lease, handle, this::passedOn)) {
      attempt();
    }
  }

  private void passedOn() {
    if (end()) {
      lease.passedOn(this);
      report(true);
    }
  }

  @Nullable HeldLock handle() {
    return isSilent ? null : handle;
  }

  /** The first outcome, or after this time the present trouble as an error. */
  Mono<Boolean> outcome(Duration timeout) {
    return outcome.within(timeout);
  }

  private LockStoreException unknownOutcome() {
    StoreFailure trouble = this.trouble;
    return failure(trouble != null ? trouble : locker.unanswered(UNKNOWN_OUTCOME));
  }

  private LockStoreException failure(StoreFailure failure) {
    return locker.failed(keys, "release", failure);
  }

  /** Another release of the lease has freed these keys meanwhile. */
  void doneByAnother() {
    maybeDone = true;
  }

  private synchronized boolean isOver() {
    return hasEnded;
  }

  private void attempt() {
    if (!isOver()) {
      lease.enter(new ReleaseCall(handle == null ? lease.context() : handle.context));
    }
  }

  /** One command to release, or the part of the releaser in one that hands the keys over. */
  private final class ReleaseCall extends LeaseCall<Boolean> {

    private volatile boolean isHandOver;

    ReleaseCall(Context context) {
      super(Release.this.lease, Kind.RELEASE, Release.this.keys, context);
    }

    @Override
    void go() {
      if (!isHandOverTried && lease.keepFor().isZero()) {
        LineAttempt successor = HandOver.transfer(lease, this);
        if (successor != null) {
          isHandOverTried = true;
          isHandOver = true;
          boolean unused = begin();
          limit(locker.commandTimeout);
          successor.ask();
          return;
        }
      }
      send();
      limit(locker.commandTimeout);
    }

    @Override
    Mono<Boolean> call() {
      return locker.store.release(keys, lease.token, lease.keepFor());
    }

    @Override
    void answered(Boolean wasOurs) {
      if (wasOurs) {
        lease.freed(Release.this);
      }
      Release.this.answered(wasOurs || maybeDone);
    }

    @Override
    void failed(StoreFailure failure) {
      if (isOver()) {
        return;
      }
      trouble = failure;
      maybeDone |= failure.isInDoubt() || (isHandOver && wasHeld);
      if (isHandOver) {
        attempt();
      } else if (!failure.isTransient()) {
        refused(failure);
      } else {
        tryLater(failure);
      }
    }
  }

  private void tryLater(StoreFailure failure) {
    if (Nanos.after(locker.now(), pause) < lease.latestEnd()) {
      locker.wheel.after(pause, this::attempt);
      Duration twice = pause.multipliedBy(2);
      pause = LONGEST_PAUSE.compareTo(twice) < 0 ? LONGEST_PAUSE : twice;
    } else {
      LOG.warn("{} could not be released and end by their ttl", keys, failure);
      if (maybeDone && end()) {
        outcome.set(unknownOutcome());
        ended(false);
      } else {
        answered(false);
      }
    }
  }

  private synchronized boolean end() {
    if (hasEnded) {
      return false;
    }
    hasEnded = true;
    return true;
  }

  private void refused(StoreFailure failure) {
    if (end()) {
      LOG.warn("{} must not be released and end by their ttl", keys, failure);
      outcome.set(failure(failure));
      ended(false);
    }
  }

  /** The locker closes and waits no longer: without an answer by now the outcome is unknown. */
  void giveUp() {
    if (end()) {
      LOG.warn("{} could not be released in time and end by their ttl", keys, trouble);
      outcome.set(unknownOutcome());
      ended(false);
    }
  }

  private void answered(boolean wasOurs) {
    if (end()) {
      report(wasOurs);
      lease.ended(this);
    }
  }

  private void report(boolean wasOurs) {
    outcome.set(wasOurs);
    tellObserver(wasOurs);
  }

  private void ended(boolean wasOurs) {
    tellObserver(wasOurs);
    lease.ended(this);
  }

  private void tellObserver(boolean wasOurs) {
    if (handle != null && !isSilent) {
      handle.released(wasOurs, begunAt);
    }
  }
}
