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
 * One subscription to a lock: signals at most one handle, or one error, and decides which. The
 * attempts are made by its {@link AskSchedule}.
 *
 * <h2>Granted, but not delivered</h2>
 *
 * <p>Reactor's operators may lose a lock that arrives after cancel: some drop it without calling
 * any hook. So this is a source of our own. A grant is either delivered or given up, which {@link
 * #finish()} decides once; the {@link Claim} frees the keys of a grant that was given up.
 *
 * <h2>Where it waits</h2>
 *
 * <p>A waiter stands in the {@link WaitLine} of its keys. With a token of the user's it may hold
 * the keys already, so it has a line of its own and never waits for others of this locker. A single
 * attempt is not made at all while others wait in this locker.
 */
final class AcquireSubscription implements Subscription, Claim.Owner, AskSchedule.Acquirer {

  /** What to do when another holder has the lock. */
  enum WhenBusy {
    COMPLETE,
    FAIL,
    WAIT
  }

  private final LockerContext locker;
  private final CoreSubscriber<? super Lock> subscriber;
  private final WhenBusy whenBusy;
  private final Claim claim;

  /** Null once finished: the holder of the lock may keep a reference to this subscription. */
  private volatile @Nullable AskSchedule schedule;

  private volatile boolean cancelled;
  private boolean begun;

  /** Whether the observer was called for the start; it is called for the end only after that. */
  private boolean startReported;

  private boolean finished;
  private long begunAt;
  private TimerWheel.@Nullable Task limit;

  AcquireSubscription(
      LockerContext locker,
      LockKeys keys,
      LockOptions options,
      WhenBusy whenBusy,
      CoreSubscriber<? super Lock> subscriber) {
    this.locker = locker;
    this.subscriber = subscriber;
    this.whenBusy = whenBusy;
    this.claim = new Claim(locker, keys, options, this, subscriber.currentContext());
    this.schedule = new AskSchedule(locker, claim, this);
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
      begunAt = locker.now();
    }
    locker.observer.asked(claim.id, claim.keys.asSet(), claim.context);
    if (!startWaiting()) {
      reportCancelled(0);
    } else if (!locker.claims.add(claim)) {
      fail(locker.closed(claim.keys));
    } else if (isFinished()) {
      claim.settled();
    } else {
      AskSchedule schedule = this.schedule;
      if (schedule != null) {
        begin(schedule);
      }
    }
  }

  /** The observer has been called for the start; false if cancelled before that. */
  private synchronized boolean startWaiting() {
    startReported = true;
    if (!finished && whenBusy == WhenBusy.WAIT) {
      limit = locker.wheel.after(claim.options.waitAtMost(), () -> fail(finalError()));
    }
    return !finished;
  }

  private synchronized boolean isFinished() {
    return finished;
  }

  private void begin(AskSchedule schedule) {
    boolean hasUserToken = claim.options.token().isPresent();
    if (whenBusy == WhenBusy.WAIT) {
      if (hasUserToken) {
        schedule.alone();
      } else {
        schedule.inLine();
      }
    } else {
      WaitLine line = hasUserToken ? null : locker.lines.find(claim.keys);
      if (line != null && line.isContended()) {
        fail(
            new LockNotAcquiredException(
                claim.keys.asSet(), 0, Duration.ZERO, line.lastAnswer().remaining(locker.now())));
      } else {
        schedule.once();
      }
    }
  }

  @Override
  public void granted(HeldLock lock) {
    synchronized (this) {
      stopLimit();
    }
    locker.publish(claim.keys, () -> deliver(lock));
  }

  private void deliver(HeldLock lock) {
    if (!lock.isValid()) {
      fail(claim.failure("deliver the lock on", locker.unanswered(UNKNOWN_OUTCOME)));
      return;
    }
    AskSchedule schedule = finish();
    if (schedule != null) {
      locker.observer.acquired(claim.id, lock.keys(), waited(), schedule.attempts());
      lock.open();
      subscriber.onNext(lock);
      subscriber.onComplete();
    }
  }

  @Override
  public void waiting() {
    locker.observer.waiting(claim.id, claim.keys.asSet());
  }

  @Override
  public void failed(Throwable problem) {
    fail(problem);
  }

  @Override
  public void gaveUp(@Nullable Throwable specError) {
    fail(specError != null ? specError : finalError());
  }

  private LockException finalError() {
    AskSchedule schedule = this.schedule;
    if (schedule == null) {
      return locker.closed(claim.keys); // finished, so this is never signalled
    }
    LastAnswer lastAnswer = schedule.lastAnswer();
    if (lastAnswer.isBusy()) {
      return notAcquired(schedule.attempts(), lastAnswer.remaining(locker.now()));
    }
    StoreFailure failure = lastAnswer.failure();
    return claim.failure("lock", failure != null ? failure : locker.unanswered(UNKNOWN_OUTCOME));
  }

  @Override
  public LockNotAcquiredException notAcquired(int attempts, @Nullable Duration remaining) {
    return new LockNotAcquiredException(claim.keys.asSet(), attempts, waited(), remaining);
  }

  private Duration waited() {
    return Duration.ofNanos(locker.now() - begunAt);
  }

  private void fail(Throwable problem) {
    AskSchedule schedule = finish();
    if (schedule == null) {
      return;
    }
    claim.giveUp();
    locker.observer.notAcquired(
        claim.id, claim.keys.asSet(), waited(), schedule.attempts(), problem);
    locker.publish(claim.keys, () -> signalUnlessCancelled(problem));
  }

  private void signalUnlessCancelled(Throwable problem) {
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
    if (finishUnreported()) {
      return;
    }
    AskSchedule schedule = finish();
    if (schedule != null) {
      claim.giveUp();
      reportCancelled(schedule.attempts());
    }
  }

  /** Before the observer's call for the start has returned: {@link #request} reports the end. */
  private synchronized boolean finishUnreported() {
    if (startReported || finished) {
      return false;
    }
    finished = true;
    schedule = null;
    return true;
  }

  private void reportCancelled(int attempts) {
    locker.observer.notAcquired(
        claim.id,
        claim.keys.asSet(),
        waited(),
        attempts,
        LockNotAcquiredException.cancelled(claim.keys.asSet(), attempts, waited()));
  }

  @Override
  public void end(boolean now) {
    fail(locker.closed(claim.keys));
  }

  @Override
  public Optional<LockActivity> activity() {
    return isFinished()
        ? Optional.empty()
        : Optional.of(
            new LockActivity(
                claim.id, claim.keys.asSet(), LockActivity.State.WAITING, waited(), Duration.ZERO));
  }

  /** The schedule, ended, for the one caller that decides the outcome; null for all others. */
  private @Nullable AskSchedule finish() {
    AskSchedule ended;
    synchronized (this) {
      if (finished) {
        return null;
      }
      finished = true;
      stopLimit();
      ended = schedule;
      schedule = null;
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
