// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * One subscription to a lock: gets at most one handle, or one error, from its {@link AskSchedule}.
 *
 * <h2>Granted, but not delivered</h2>
 *
 * <p>Operators of Reactor cannot be trusted with a lock that arrives after cancel: some drop it
 * without calling any hook. So this is a source of our own. A grant is either delivered or given
 * up, which {@link #finish()} decides once, and what is given up its {@link Claim} frees.
 *
 * <h2>Who waits where</h2>
 *
 * <p>Whoever waits stands in the {@link WaitLine} for its keys. One with a token of the user's may
 * hold the keys already, and so never waits for others of this locker. A single attempt is not even
 * made while somebody waits.
 */
final class AcquireSubscription implements Subscription, Claim.Owner, AskSchedule.Acquirer {

  /** What to do when somebody else holds the lock. */
  enum WhenBusy {
    COMPLETE,
    FAIL,
    WAIT
  }

  private final LockerContext runtime;
  private final CoreSubscriber<? super Lock> subscriber;
  private final WhenBusy whenBusy;
  private final Claim claim;

  /** Null when all is over, as whoever holds the lock may keep this subscription as long. */
  private volatile @Nullable AskSchedule attempts;

  private volatile boolean cancelled;
  private boolean begun;

  /** Whether observers were told of the beginning; they are told of the end only after that. */
  private boolean told;

  private boolean finished;
  private long begunAt;
  private TimerWheel.@Nullable Task limit;

  AcquireSubscription(
      LockerContext runtime,
      LockKeys keys,
      LockOptions options,
      WhenBusy whenBusy,
      CoreSubscriber<? super Lock> subscriber) {
    this.runtime = runtime;
    this.subscriber = subscriber;
    this.whenBusy = whenBusy;
    this.claim = new Claim(runtime, keys, options, this, subscriber.currentContext());
    this.attempts = new AskSchedule(runtime, claim, this);
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
    }
    runtime.observer.asked(claim.id, claim.keys.asSet(), claim.context);
    if (!goOn()) {
      tellCancelled(0);
    } else if (!runtime.claims.add(claim)) {
      fail(runtime.closed(claim.keys));
    } else if (isFinished()) {
      claim.settled();
    } else {
      AskSchedule attempts = this.attempts;
      if (attempts != null) {
        begin(attempts);
      }
    }
  }

  /** Observers know of it; false if it was cancelled before they did. */
  private synchronized boolean goOn() {
    told = true;
    if (!finished && whenBusy == WhenBusy.WAIT) {
      limit = runtime.wheel.after(claim.options.waitAtMost(), () -> fail(finalError()));
    }
    return !finished;
  }

  private synchronized boolean isFinished() {
    return finished;
  }

  private void begin(AskSchedule attempts) {
    boolean knowsToken = claim.options.token().isPresent();
    if (whenBusy == WhenBusy.WAIT) {
      if (knowsToken) {
        attempts.alone();
      } else {
        attempts.inLine();
      }
    } else {
      WaitLine line = knowsToken ? null : runtime.lines.find(claim.keys);
      if (line != null && line.isContended()) {
        fail(
            new LockNotAcquiredException(
                claim.keys.asSet(), 0, Duration.ZERO, line.lastAnswer().remaining(runtime.now())));
      } else {
        attempts.once();
      }
    }
  }

  @Override
  public void granted(HeldLock lock) {
    synchronized (this) {
      stopLimit();
    }
    runtime.publish(claim.keys, () -> deliver(lock));
  }

  private void deliver(HeldLock lock) {
    if (!lock.isValid()) {
      fail(claim.failure("deliver the lock on", runtime.unanswered(UNKNOWN_OUTCOME)));
      return;
    }
    AskSchedule attempts = finish();
    if (attempts != null) {
      runtime.observer.acquired(claim.id, lock.keys(), waited(), attempts.made());
      lock.open();
      subscriber.onNext(lock);
      subscriber.onComplete();
    }
  }

  @Override
  public void waiting() {
    runtime.observer.waiting(claim.id, claim.keys.asSet());
  }

  @Override
  public void failed(Throwable problem) {
    fail(problem);
  }

  @Override
  public void gaveUp(@Nullable Throwable ofItsOwn) {
    fail(ofItsOwn != null ? ofItsOwn : finalError());
  }

  private LockException finalError() {
    AskSchedule attempts = this.attempts;
    if (attempts == null) {
      return runtime.closed(claim.keys); // and nobody is told
    }
    LastAnswer lastAnswer = attempts.lastAnswer();
    if (lastAnswer.isBusy()) {
      return notAcquired(attempts.made(), lastAnswer.remaining(runtime.now()));
    }
    StoreFailure failure = lastAnswer.failure();
    return claim.failure("lock", failure != null ? failure : runtime.unanswered(UNKNOWN_OUTCOME));
  }

  @Override
  public LockNotAcquiredException notAcquired(int attempts, @Nullable Duration remaining) {
    return new LockNotAcquiredException(claim.keys.asSet(), attempts, waited(), remaining);
  }

  private Duration waited() {
    return Duration.ofNanos(runtime.now() - begunAt);
  }

  private void fail(Throwable problem) {
    AskSchedule attempts = finish();
    if (attempts == null) {
      return;
    }
    claim.giveUp();
    runtime.observer.notAcquired(claim.id, claim.keys.asSet(), waited(), attempts.made(), problem);
    runtime.publish(claim.keys, () -> tellUnlessCancelled(problem));
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
    if (finishUntold()) {
      return;
    }
    AskSchedule attempts = finish();
    if (attempts != null) {
      claim.giveUp();
      tellCancelled(attempts.made());
    }
  }

  /** Ends what has not begun, or is just being told of: then whoever tells that tells the end. */
  private synchronized boolean finishUntold() {
    if (told || finished) {
      return false;
    }
    finished = true;
    attempts = null;
    return true;
  }

  private void tellCancelled(int attempts) {
    runtime.observer.notAcquired(
        claim.id,
        claim.keys.asSet(),
        waited(),
        attempts,
        LockNotAcquiredException.cancelled(claim.keys.asSet(), attempts, waited()));
  }

  @Override
  public void end(boolean now) {
    fail(runtime.closed(claim.keys));
  }

  @Override
  public Optional<LockActivity> activity() {
    return isFinished()
        ? Optional.empty()
        : Optional.of(
            new LockActivity(
                claim.id, claim.keys.asSet(), LockActivity.State.WAITING, waited(), Duration.ZERO));
  }

  /** The attempts, ended, for the one who may tell the subscriber, or keep silent; else null. */
  private @Nullable AskSchedule finish() {
    AskSchedule ended;
    synchronized (this) {
      if (finished) {
        return null;
      }
      finished = true;
      stopLimit();
      ended = attempts;
      attempts = null;
    }
    if (ended != null) {
      ended.end();
    }
    return ended;
  }

  private void stopLimit() {
    if (limit != null) {
      limit.cancel();
      limit = null;
    }
  }
}
