// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.LockStoreException;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * Refreshes one lock while it has listeners, and notifies them when it is lost.
 *
 * <p>A refresh comes at a third of the ttl after the last confirmed one, or a little earlier, so
 * that locks taken together do not refresh together. One that fails is tried again, after growing
 * pauses, until the deadline. There is at most one command under way that is not overdue.
 */
final class KeepAlive {

  /** A subscriber or body that relies on the lock; called at most once, on the users' scheduler. */
  interface LossListener {
    void lost(LockLostException loss);
  }

  private static final long FIRST_PAUSE = MILLISECONDS.toNanos(10);

  private final HeldLock lock;
  private final LockerContext locker;
  private final MemberSet<LossListener> listeners = new MemberSet<>(); // all guarded by this

  private long confirmedAt;
  private long pause;
  private boolean isCapped;

  /** Why the last refresh failed; null if it did not, or was denied. */
  private @Nullable LockStoreException trouble;

  private @Nullable Reason loss;

  /** The next refresh, while none is under way. */
  private TimerWheel.@Nullable Task next;

  private @Nullable RefreshCall underWay;

  KeepAlive(HeldLock lock) {
    this.lock = lock;
    this.locker = lock.locker;
    this.pause = firstPause();
    this.confirmedAt = lock.confirmedAt();
  }

  private long period() {
    return lock.options.ttl().toNanos() / 3;
  }

  /** Short against the ttl, so that a store that is back before the deadline is found in time. */
  private long longestPause() {
    return period() / 8;
  }

  private long firstPause() {
    return Math.min(FIRST_PAUSE, longestPause());
  }

  void add(LossListener listener) {
    Reason loss;
    synchronized (this) {
      loss = this.loss;
      if (loss == null) {
        listeners.add(listener);
        if (next == null && underWay == null) {
          plan(confirmedAt + jitteredPeriod());
        }
      }
    }
    if (loss != null) {
      notifyLost(listener, lost(loss));
    }
  }

  synchronized void remove(LossListener listener) {
    boolean unused = listeners.remove(listener);
    if (listeners.isEmpty()) {
      next = cancelled(next);
    }
  }

  /** Keeps the lock alive until this subscriber cancels, and signals the loss to it. */
  void subscribe(CoreSubscriber<?> subscriber) {
    LossSubscription subscription = new LossSubscription(subscriber);
    subscriber.onSubscribe(subscription);
    add(subscription);
    if (subscription.over.get()) {
      remove(subscription);
    }
  }

  /** The lock has ended: nothing is refreshed any more, and all listeners are notified. */
  void end(Reason reason) {
    List<LossListener> notified;
    synchronized (this) {
      loss = reason;
      underWay = null;
      next = cancelled(next);
      if (listeners.isEmpty()) {
        return;
      }
      notified = listeners.takeAll();
    }
    LockLostException problem = lost(reason);
    notified.forEach(listener -> notifyLost(listener, problem));
  }

  private void notifyLost(LossListener listener, LockLostException loss) {
    locker.executor.run(() -> listener.lost(loss));
  }

  synchronized Reason reasonAtDeadline() {
    if (isCapped) {
      return Reason.MAX_HOLD;
    }
    if (trouble != null && isAnswer(trouble.reason())) {
      return Reason.REFUSED;
    }
    return trouble != null || underWay != null ? Reason.UNREACHABLE : Reason.EXPIRED;
  }

  /** Whether the store could be reached, as it has answered. */
  private static boolean isAnswer(StoreProblem.Reason problem) {
    return switch (problem) {
      case SERVER_STATE, NOT_REPLICATED, PERMISSION, MISUSE -> true;
      case UNAVAILABLE, TIMEOUT, UNKNOWN_OUTCOME -> false;
    };
  }

  /** The error of a handle that was lost for this reason. */
  synchronized LockLostException lost(Reason reason) {
    boolean isByTrouble = reason == Reason.UNREACHABLE || reason == Reason.REFUSED;
    return new LockLostException(lock.keys(), reason, isByTrouble ? trouble : null);
  }

  private static TimerWheel.@Nullable Task cancelled(TimerWheel.@Nullable Task task) {
    if (task != null) {
      task.cancel();
    }
    return null;
  }

  /** The period, or a little less. */
  private long jitteredPeriod() {
    return (long) (period() * locker.random().nextDouble(0.85, 1.0));
  }

  /**
   * Asks to prolong the lease, even when an extension by the user lasts longer: the store never
   * shortens, and the answer says whether the keys are still ours.
   */
  private void refresh() {
    if (lock.loss() != null) {
      return;
    }
    long askedAt = locker.now();
    Duration ttl = cappedTtl(askedAt);
    RefreshCall call;
    synchronized (this) {
      next = cancelled(next);
      if (loss != null || listeners.isEmpty() || underWay != null) {
        return;
      }
      isCapped = ttl.compareTo(lock.options.ttl()) < 0;
      call = new RefreshCall(this, lock, askedAt, ttl);
      underWay = call;
    }
    call.limit(Duration.ofNanos(Math.min(period(), Nanos.of(locker.commandTimeout))));
    boolean unused = lock.lease.enter(call, lock, Nanos.after(askedAt, ttl));
  }

  /** The ttl, or what is left of maxHold. */
  private Duration cappedTtl(long askedAt) {
    long left = Nanos.after(lock.grantedAt(), lock.options.maxHold()) - askedAt;
    Duration ttl = lock.options.ttl();
    return left >= ttl.toNanos() ? ttl : Duration.ofMillis(Math.max(1, left / 1_000_000));
  }

  synchronized void refreshed(RefreshCall call) {
    confirmedAt = Math.max(confirmedAt, call.askedAt);
    trouble = null;
    pause = firstPause();
    if (call.equals(underWay)) {
      underWay = null;
      plan(confirmedAt + jitteredPeriod());
    }
  }

  /** False if the call counts no more. */
  synchronized boolean tryAgain(RefreshCall call, @Nullable LockStoreException problem) {
    if (!call.equals(underWay)) {
      return false;
    }
    trouble = problem;
    underWay = null;
    plan(locker.now() + pause);
    pause = Math.min(2 * pause, longestPause());
    return true;
  }

  private void plan(long time) {
    if (!listeners.isEmpty() && lock.options.autoRefresh()) {
      next = locker.wheel.at(time, this::refresh);
    }
  }

  /** A subscriber of {@code keepAlive} as a listener. */
  private final class LossSubscription implements LossListener, Subscription {

    private final CoreSubscriber<?> subscriber;
    private final AtomicBoolean over = new AtomicBoolean();

    LossSubscription(CoreSubscriber<?> subscriber) {
      this.subscriber = subscriber;
    }

    @Override
    public void lost(LockLostException loss) {
      if (over.compareAndSet(false, true)) {
        subscriber.onError(loss);
      }
    }

    @Override
    public void request(long n) {
      Operators.validate(n);
    }

    @Override
    public void cancel() {
      if (over.compareAndSet(false, true)) {
        remove(this);
      }
    }
  }
}
