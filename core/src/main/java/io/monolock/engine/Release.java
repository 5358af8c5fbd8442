// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.store.Grant;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import io.monolock.store.Transfer;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Frees the keys of one claim. Once begun it cannot be cancelled, and it goes on until the store
 * has answered, refuses for good, or the ttl is over.
 *
 * <p>If there are waiters in this locker, the keys are handed over to the first one instead, unless
 * holdAtLeast keeps them. A hand-over that fails for any reason is followed by a plain release: a
 * problem of the successor, such as a missing permission, must not keep the keys.
 */
final class Release {

  private static final Logger LOG = LoggerFactory.getLogger(Release.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

  private final Claim claim;
  private volatile boolean begun; // written under the monitor
  private volatile boolean ended; // written under the monitor
  private final ReleaseOutcome outcome;

  private volatile long begunAt;
  private long until;
  private Supplier<Duration> keepFor = () -> Duration.ZERO;
  private volatile Duration pause = FIRST_PAUSE;
  private volatile boolean maybeDone;
  private volatile boolean handOversTried;
  private volatile @Nullable StoreFailure trouble;

  Release(Claim claim) {
    this.claim = claim;
    this.outcome = new ReleaseOutcome(claim.locker, claim.keys, this::unknownOutcome);
  }

  /**
   * Begins, unless it has begun before.
   *
   * @param until when the keys are free by themselves
   * @param keepFor how long holdAtLeast still keeps them, evaluated at each attempt
   */
  void begin(long until, Supplier<Duration> keepFor) {
    synchronized (this) {
      if (begun) {
        return;
      }
      begun = true;
      this.begunAt = claim.locker.now();
      this.until = until;
      this.keepFor = keepFor;
    }
    claim.whenAnswered(this::attempt);
  }

  boolean hasBegun() {
    return begun;
  }

  /** When it was begun, on the locker's clock. */
  long begunAt() {
    return begunAt;
  }

  /** The first outcome, or after this time the present trouble as an error. */
  Mono<Boolean> outcome(Duration timeout) {
    return outcome.within(timeout);
  }

  private LockStoreException unknownOutcome() {
    StoreFailure trouble = this.trouble;
    return claim.failure(
        "release",
        trouble != null ? trouble : claim.locker.unanswered(StoreProblem.Reason.UNKNOWN_OUTCOME));
  }

  private void attempt() {
    if (ended) {
      return;
    }
    Duration keep = keepFor.get();
    if (!keep.isZero() || handOversTried || !handOver()) {
      free(keep);
    }
  }

  private void free(Duration keep) {
    new ReleaseCall(false, keep).send();
  }

  private boolean handOver() {
    WaitLine line = claim.line();
    if (line == null) {
      return false;
    }
    WaitLine.Waiter successor;
    while ((successor = line.successor(claim)) != null) {
      if (successor.receive(this)) {
        return true;
      }
      line.leave(successor);
    }
    return false;
  }

  /** The call that hands the keys over; gives what the store granted to the successor. */
  Mono<Grant> handOver(Claim successor) {
    handOversTried = true;
    LockOptions options = successor.options;
    ReleaseCall attempt = new ReleaseCall(true, Duration.ZERO);
    return claim
        .locker
        .store
        .transfer(
            claim.keys,
            claim.token,
            successor.token,
            options.metadata(),
            options.ttl(),
            options.fenced())
        .doOnNext(transfer -> attempt.answered(transfer.released()))
        .doOnError(e -> attempt.failed(StoreCall.failure(e)))
        .map(Transfer::grant);
  }

  /** One command to release, or its part of a hand-over; answered in time, late, or never. */
  private final class ReleaseCall extends StoreCall<Boolean> {

    private final boolean isHandOver;
    private final Duration keep;
    private final TimerWheel.Task timeout;
    private boolean over; // guarded by this

    ReleaseCall(boolean isHandOver, Duration keep) {
      super(claim.context);
      this.keep = keep;
      this.isHandOver = isHandOver;
      LockerContext locker = claim.locker;
      this.timeout =
          locker.wheel.after(
              locker.commandTimeout,
              () -> {
                failed(locker.unanswered(StoreProblem.Reason.UNKNOWN_OUTCOME));
                locker.overdue();
              });
    }

    @Override
    Mono<Boolean> call() {
      return claim.locker.store.release(claim.keys, claim.token, keep);
    }

    @Override
    void answered(Boolean wasOurs) {
      timeout.cancel();
      Release.this.answered(wasOurs || maybeDone);
    }

    @Override
    void failed(StoreFailure failure) {
      timeout.cancel();
      synchronized (this) {
        if (over || ended) {
          return;
        }
        over = true;
      }
      trouble = failure;
      maybeDone |= failure.isInDoubt();
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
    LockerContext locker = claim.locker;
    if (locker.now() + pause.toNanos() < until) {
      locker.wheel.after(pause, this::attempt);
      pause =
          LONGEST_PAUSE.compareTo(pause.multipliedBy(2)) < 0
              ? LONGEST_PAUSE
              : pause.multipliedBy(2);
    } else {
      LOG.warn("{} could not be released and end by their ttl", claim.keys, failure);
      answered(false);
    }
  }

  private synchronized boolean end() {
    if (ended) {
      return false;
    }
    ended = true;
    return true;
  }

  private void refused(StoreFailure failure) {
    if (end()) {
      LOG.warn("{} must not be released and end by their ttl", claim.keys, failure);
      outcome.set(claim.failure("release", failure));
      claim.released(false);
    }
  }

  /** The locker closes and waits no longer: without an answer by now the outcome is unknown. */
  void giveUp() {
    if (begun && end()) {
      LOG.warn("{} could not be released in time and end by their ttl", claim.keys, trouble);
      outcome.set(unknownOutcome());
      claim.released(false);
    }
  }

  private void answered(boolean wasOurs) {
    if (end()) {
      outcome.set(wasOurs);
      claim.released(wasOurs);
    }
  }
}
