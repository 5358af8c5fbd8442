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
import reactor.util.context.Context;

/**
 * One subscription to a lock, and a waiter in a {@link WaitLine}: signals at most one handle, or
 * one error, and decides once which.
 *
 * <p>Reactor's operators may lose a lock that arrives after cancel: some drop it without calling
 * any hook. So this is a source of our own. A lock that it was given is delivered, or goes to the
 * next caller.
 */
final class AcquireSubscription implements Subscription, HeldLock.Owner {

  /** What to do when another holder has the lock. */
  enum WhenBusy {
    COMPLETE,
    FAIL,
    WAIT
  }

  private enum State {
    NEW,
    WAITING,
    DELIVERED,
    FAILED,
    CANCELLED
  }

  final long id;
  final LockKeys keys;
  final LockOptions options;
  final Context context;
  private final LockerContext locker;
  private final CoreSubscriber<? super Lock> subscriber;
  private final WhenBusy whenBusy;
  private volatile State state = State.NEW; // written under the monitor, as all without a comment
  private long begunAt;
  private @Nullable WaitLine line;

  /** Given, but not delivered yet. */
  private @Nullable HeldLock given;

  private @Nullable RetryDriver retryDriver;
  private TimerWheel.@Nullable Task limit;
  private boolean isWaitingReported;
  private long joined; // guarded by the line
  private volatile int attempts; // written under the monitor of the line

  AcquireSubscription(
      LockerContext locker,
      LockKeys keys,
      LockOptions options,
      WhenBusy whenBusy,
      CoreSubscriber<? super Lock> subscriber) {
    this.id = locker.nextId();
    this.locker = locker;
    this.keys = keys;
    this.options = options;
    this.whenBusy = whenBusy;
    this.subscriber = subscriber;
    this.context = subscriber.currentContext();
  }

  @Override
  public void request(long n) {
    if (!Operators.validate(n)) {
      return;
    }
    synchronized (this) {
      if (state != State.NEW) {
        return;
      }
      state = State.WAITING;
      locker.observer.addAsked(id, keys.asSet(), context);
      begunAt = locker.now();
    }
    locker.observer.flush();
    if (locker.leases.isClosed()) {
      fail(locker.closed(keys));
    } else if (whenBusy == WhenBusy.WAIT) {
      standInLine(options.waitAtMost());
    } else {
      askOnce();
    }
  }

  private void standInLine(Duration longest) {
    TimerWheel.Task limit = locker.wheel.after(longest, () -> fail(finalError()));
    synchronized (this) {
      this.limit = limit;
      if (state != State.WAITING) {
        limit.cancel();
        return;
      }
    }
    WaitLine line;
    do {
      line =
          options.token().isPresent()
              ? locker.lines.alone(keys, options.token().get())
              : locker.lines.of(keys);
    } while (!joins(line));
  }

  private void askOnce() {
    WaitLine shared = options.token().isPresent() ? null : locker.lines.find(keys);
    if ((shared != null && shared.isContended()) || locker.lines.areForOthers(keys)) {
      Duration remaining = shared == null ? null : shared.lastAnswer().remaining(locker.now());
      fail(new LockNotAcquiredException(keys.asSet(), 0, Duration.ZERO, remaining));
    } else {
      boolean unused =
          joins(new WaitLine(locker, keys, WaitLine.Kind.SINGLE, options.token().orElse(null)));
    }
  }

  private boolean joins(WaitLine line) {
    synchronized (this) {
      this.line = line;
    }
    if (!line.join(this)) {
      return false;
    }
    if (state == State.CANCELLED || state == State.FAILED) {
      line.leave(this);
    } else if (locker.leases.isClosed()) {
      fail(locker.closed(keys));
    }
    return true;
  }

  // as a waiter in a line

  void joined(long number) {
    joined = number;
  }

  long joined() {
    return joined;
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // under the monitor of the line
  void countAttempt() {
    attempts++;
  }

  boolean mayWait() {
    return whenBusy == WhenBusy.WAIT;
  }

  boolean isServed() {
    return state == State.DELIVERED;
  }

  void reportWaiting() {
    synchronized (this) {
      if (isWaitingReported || !mayWait()) {
        return;
      }
      isWaitingReported = true;
    }
    locker.observer.waiting(id, keys.asSet());
  }

  /** An attempt that counts for this waiter was refused. */
  void refused(@Nullable Duration remaining) {
    missed(notAcquired(remaining));
  }

  /** An attempt that counts for this waiter failed. */
  void failed(StoreFailure failure) {
    LockException problem = locker.failed(keys, "lock", failure);
    if (failure.isTransient()) {
      missed(problem);
    } else {
      fail(problem);
    }
  }

  /** This waiter is the first now, and the line's last attempt counts for it. */
  void refusedBefore() {
    missed(finalError());
  }

  private void missed(LockException problem) {
    if (!mayWait()) {
      fail(problem);
      return;
    }
    reportWaiting();
    RetryDriver driver;
    synchronized (this) {
      if (state != State.WAITING || given != null) {
        return;
      }
      if (retryDriver == null) {
        retryDriver =
            new RetryDriver(
                options.retry(), locker.executor, context, this::specAsks, this::specGivesUp);
      }
      driver = retryDriver;
    }
    if (!driver.isAwaitingSpec()) {
      locker.executor.run(() -> driver.failed(problem));
    }
  }

  private void specAsks() {
    WaitLine line = line();
    if (line != null) {
      line.specAsks(this);
    }
  }

  private void specGivesUp(@Nullable Throwable specError) {
    fail(specError != null ? specError : finalError());
  }

  private synchronized @Nullable WaitLine line() {
    return line;
  }

  /** The lock is this caller's, if it still wants it; otherwise it goes on to the next one. */
  void granted(HeldLock lock) {
    boolean isWanted;
    RetryDriver driver = null;
    synchronized (this) {
      isWanted = state == State.WAITING;
      if (isWanted) {
        given = lock;
        driver = stopWaiting();
      }
    }
    cancel(driver);
    if (isWanted) {
      locker.executor.run(() -> deliver(lock));
    } else {
      lock.abandon(true);
    }
  }

  private void deliver(HeldLock lock) {
    synchronized (this) {
      if (state != State.WAITING || given != lock) {
        return;
      }
      given = null;
      if (lock.isValid()) {
        state = State.DELIVERED;
        line = null;
      }
    }
    if (state != State.DELIVERED) {
      tooLate(lock);
      return;
    }
    locker.observer.acquired(id, keys.asSet(), waited(), attempts);
    lock.open();
    try {
      subscriber.onNext(lock);
    } catch (Throwable e) { // fatal, so that no operator below has signalled it
      lock.beginRelease();
      subscriber.onError(e);
      return;
    }
    subscriber.onComplete();
  }

  /** The users' threads were busy for longer than the lock may be trusted. */
  private void tooLate(HeldLock lock) {
    long left = Nanos.after(begunAt, options.waitAtMost()) - locker.now();
    if (mayWait() && left > 0 && !locker.leases.isClosed()) {
      lock.abandon(false);
      standInLine(Duration.ofNanos(left));
    } else {
      lock.abandon(true);
      fail(locker.failed(keys, "deliver the lock on", locker.unanswered(UNKNOWN_OUTCOME)));
    }
  }

  // the end without a lock

  private LockException finalError() {
    WaitLine line = line();
    LastAnswer lastAnswer = line == null ? new LastAnswer() : line.lastAnswer();
    if (lastAnswer.isBusy()) {
      return notAcquired(lastAnswer.remaining(locker.now()));
    }
    StoreFailure failure = lastAnswer.failure();
    return locker.failed(
        keys, "lock", failure != null ? failure : locker.unanswered(UNKNOWN_OUTCOME));
  }

  private LockNotAcquiredException notAcquired(@Nullable Duration remaining) {
    return new LockNotAcquiredException(keys.asSet(), attempts, waited(), remaining);
  }

  private Duration waited() {
    return Duration.ofNanos(locker.now() - begunAt);
  }

  private void fail(Throwable problem) {
    if (end(State.FAILED, problem)) {
      locker.executor.run(() -> signal(problem));
    }
  }

  private void signal(Throwable problem) {
    if (state != State.FAILED) {
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
    synchronized (this) {
      if (state == State.NEW || state == State.FAILED) {
        state = State.CANCELLED;
      }
      if (state != State.WAITING) {
        return;
      }
    }
    boolean unused =
        end(State.CANCELLED, LockNotAcquiredException.cancelled(keys.asSet(), attempts, waited()));
  }

  /** True for the caller that ends the waiting without a lock. */
  private boolean end(State end, Throwable problem) {
    HeldLock given;
    WaitLine line;
    RetryDriver driver;
    synchronized (this) {
      if (state != State.WAITING) {
        return false;
      }
      state = end;
      driver = stopWaiting();
      given = this.given;
      this.given = null;
      line = this.line;
    }
    cancel(driver);
    locker.observer.notAcquired(id, keys.asSet(), waited(), attempts, problem);
    if (given != null) {
      given.abandon(true);
    } else if (line != null) {
      line.leave(this);
    }
    return true;
  }

  private @Nullable RetryDriver stopWaiting() {
    if (limit != null) {
      limit.cancel();
      limit = null;
    }
    RetryDriver driver = retryDriver;
    retryDriver = null;
    return driver;
  }

  private static void cancel(@Nullable RetryDriver driver) {
    if (driver != null) {
      driver.cancel();
    }
  }

  @Override
  public void end(boolean now) {
    fail(locker.closed(keys));
  }

  @Override
  public Optional<LockActivity> activity() {
    return state == State.WAITING
        ? Optional.of(
            new LockActivity(id, keys.asSet(), LockActivity.State.WAITING, waited(), Duration.ZERO))
        : Optional.empty();
  }
}
