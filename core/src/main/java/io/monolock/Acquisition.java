// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import static io.monolock.store.StoreFailure.Reason.UNKNOWN_OUTCOME;

import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * One subscription to a lock: attempts, waits, and delivers at most one handle.
 *
 * <h2>Granted, but not delivered</h2>
 *
 * <p>Operators of Reactor cannot be trusted with a lock that arrives after cancel: some drop it
 * without calling any hook. So this is a source of our own. A grant is either delivered or given
 * up, which {@link #finish()} decides once, and what is given up its {@link Claim} frees.
 *
 * <h2>Waiting</h2>
 *
 * <p>A refused attempt is told to the user's retry spec, which says when to try again. If the
 * holder's ttl ends earlier, one more attempt is made then, which the spec does not hear of. The
 * time limit ends it all.
 */
final class Acquisition implements Subscription, Claim.Owner {

  /** What to do when somebody else holds the lock. */
  enum WhenBusy {
    COMPLETE,
    FAIL,
    WAIT
  }

  private static final Duration FLOOR = Duration.ofMillis(1);

  private final LockerRuntime runtime;
  private final CoreSubscriber<? super Lock> subscriber;
  private final WhenBusy whenBusy;
  private final Claim claim;
  private final RetryPacer pacer;

  private volatile boolean cancelled;
  private boolean begun;
  private boolean finished;
  private int attempts;
  private long begunAt;
  private long refusedAt;
  private long answeredAt;
  private @Nullable Attempt current;
  private @Nullable HeldLock granted;
  private @Nullable LockException lastAnswer;
  private @Nullable LockException lastFailure;
  private Wheel.@Nullable Task limit;
  private Wheel.@Nullable Task nextAttempt;

  Acquisition(
      LockerRuntime runtime,
      LockKeys keys,
      LockOptions options,
      WhenBusy whenBusy,
      CoreSubscriber<? super Lock> subscriber) {
    this.runtime = runtime;
    this.subscriber = subscriber;
    this.whenBusy = whenBusy;
    this.claim = new Claim(runtime, keys, options, this, subscriber.currentContext());
    this.pacer =
        new RetryPacer(
            options.retry(), runtime.publishOn, claim.context, this::tryAgain, this::specGaveUp);
  }

  @Override
  public void request(long n) {
    if (!Operators.validate(n)) {
      return;
    }
    synchronized (this) {
      if (begun || finished) {
        return;
      }
      begun = true;
      begunAt = runtime.now();
      if (whenBusy == WhenBusy.WAIT) {
        limit = runtime.wheel.after(claim.options.waitAtMost(), () -> fail(finalError()));
      }
    }
    if (!runtime.claims.add(claim)) {
      fail(runtime.closed(claim.keys));
    } else if (isFinished()) {
      claim.settled();
    } else {
      attempt();
    }
  }

  private synchronized boolean isFinished() {
    return finished;
  }

  private void attempt() {
    Attempt attempt = new Attempt();
    synchronized (this) {
      if (finished || granted != null || current != null) {
        return;
      }
      current = attempt;
      attempts++;
    }
    Duration ttl = claim.options.ttl();
    Duration patience = ttl.compareTo(runtime.commandTimeout) < 0 ? ttl : runtime.commandTimeout;
    claim.acquire(patience, attempt::answered, attempt::failed);
  }

  /** One command, answered in time, late, or not at all. */
  private final class Attempt {

    private final long askedAt = runtime.now();

    void answered(Grant grant) {
      if (grant instanceof Grant.Busy busy) {
        refused(this, notAcquired(busy.remaining().orElse(null)), true);
      } else if (grant instanceof Grant.Granted given) {
        HeldLock lock = new HeldLock(claim, given.fencingToken(), askedAt);
        if (lock.isValid()) {
          granted(lock);
        } else {
          failed(runtime.unanswered(UNKNOWN_OUTCOME));
        }
      }
    }

    void failed(StoreFailure failure) {
      LockStoreException problem = claim.failure("lock", failure);
      if (failure.isTransient()) {
        refused(this, problem, isAnswer(failure));
      } else {
        fail(problem);
      }
    }

    private boolean isAnswer(StoreFailure failure) {
      return switch (failure.reason()) {
        case UNAVAILABLE, TIMEOUT, UNKNOWN_OUTCOME -> false;
        case SERVER_STATE, NOT_REPLICATED, PERMISSION, MISUSE -> true;
      };
    }
  }

  private void granted(HeldLock lock) {
    synchronized (this) {
      if (finished || granted != null) {
        return;
      }
      granted = lock;
      stopWaiting();
    }
    runtime.publish(() -> deliver(lock));
  }

  private void deliver(HeldLock lock) {
    if (!lock.isValid()) {
      fail(claim.failure("deliver the lock on", runtime.unanswered(UNKNOWN_OUTCOME)));
    } else if (finish()) {
      runtime.observer.acquired(claim.id, lock.keys(), waited(), attempts);
      lock.open();
      subscriber.onNext(lock);
      subscriber.onComplete();
    }
  }

  private void refused(Attempt attempt, LockException problem, boolean isAnswer) {
    boolean first;
    synchronized (this) {
      if (finished || granted != null) {
        return;
      }
      first = lastAnswer == null && lastFailure == null;
      if (isAnswer) {
        lastAnswer = problem;
        answeredAt = runtime.now();
      } else {
        lastFailure = problem;
      }
      if (attempt != current) {
        return;
      }
      current = null;
      refusedAt = runtime.now();
    }
    if (whenBusy == WhenBusy.WAIT) {
      waitAfter(problem, first);
    } else {
      fail(problem);
    }
  }

  private void waitAfter(LockException problem, boolean first) {
    if (first) {
      runtime.observer.waiting(claim.id, claim.keys.asSet());
    }
    if (problem instanceof LockNotAcquiredException busy) {
      busy.retryAfter().ifPresent(remaining -> attemptAfter(remaining.plus(FLOOR)));
    }
    runtime.publish(() -> pacer.failed(problem));
  }

  private synchronized void attemptAfter(Duration delay) {
    if (nextAttempt != null) {
      nextAttempt.cancel();
    }
    if (!finished && current == null) {
      nextAttempt = runtime.wheel.at(refusedAt + delay.toNanos(), this::attempt);
    }
  }

  /** The retry spec says so. */
  private void tryAgain() {
    boolean tooSoon;
    synchronized (this) {
      tooSoon = runtime.now() - refusedAt < FLOOR.toNanos();
    }
    if (tooSoon) {
      attemptAfter(FLOOR);
    } else {
      attempt();
    }
  }

  private void specGaveUp(@Nullable Throwable ofItsOwn) {
    fail(ofItsOwn != null ? ofItsOwn : finalError());
  }

  /** The last attempt that was answered decides; if none was, the store is in trouble. */
  private synchronized LockException finalError() {
    if (lastAnswer instanceof LockNotAcquiredException busy) {
      Duration since = Duration.ofNanos(runtime.now() - answeredAt);
      return notAcquired(
          busy.retryAfter()
              .map(left -> left.compareTo(since) > 0 ? left.minus(since) : Duration.ZERO)
              .orElse(null));
    }
    if (lastAnswer != null) {
      return lastAnswer;
    }
    return lastFailure != null
        ? lastFailure
        : claim.failure("lock", runtime.unanswered(UNKNOWN_OUTCOME));
  }

  private synchronized LockNotAcquiredException notAcquired(@Nullable Duration retryAfter) {
    return new LockNotAcquiredException(claim.keys.asSet(), attempts, waited(), retryAfter);
  }

  private Duration waited() {
    return Duration.ofNanos(runtime.now() - begunAt);
  }

  private void fail(Throwable problem) {
    if (!finish()) {
      return;
    }
    claim.giveUp();
    runtime.observer.notAcquired(claim.id, claim.keys.asSet(), waited(), attempts, problem);
    runtime.publish(() -> tellUnlessCancelled(problem));
  }

  private void tellUnlessCancelled(Throwable problem) {
    if (cancelled) {
      return;
    }
    if (whenBusy == WhenBusy.COMPLETE && problem instanceof LockNotAcquiredException) {
      subscriber.onComplete();
    } else {
      subscriber.onError(problem);
    }
  }

  @Override
  public void cancel() {
    cancelled = true;
    if (finish() && begun) {
      claim.giveUp();
      runtime.observer.notAcquired(
          claim.id,
          claim.keys.asSet(),
          waited(),
          attempts,
          LockNotAcquiredException.cancelled(claim.keys.asSet(), attempts, waited()));
    }
  }

  @Override
  public void end(boolean now) {
    fail(runtime.closed(claim.keys));
  }

  /** True for the one who may tell the subscriber, or keep silent. */
  private synchronized boolean finish() {
    if (finished) {
      return false;
    }
    finished = true;
    stopWaiting();
    return true;
  }

  private void stopWaiting() {
    current = null;
    pacer.cancel();
    if (limit != null) {
      limit.cancel();
    }
    if (nextAttempt != null) {
      nextAttempt.cancel();
    }
  }
}
