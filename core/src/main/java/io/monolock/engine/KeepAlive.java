// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.monolock.LockLostException;
import io.monolock.LockLostException.Reason;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem;
import java.time.Duration;
import java.util.ArrayList;
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
  private final Claim claim;
  private final LockerContext locker;
  private List<LossListener> listeners = List.of(); // mostly one

  private long confirmedAt;
  private long pause;
  private boolean failing;
  private boolean capped;

  /** Distinguishes the refresh under way from older ones, whose answers may still come. */
  private int refreshNumber;

  private @Nullable Reason loss;

  /** The next refresh, while none is under way. */
  private TimerWheel.@Nullable Task next;

  /** How long the refresh that is under way may take. */
  private TimerWheel.@Nullable Task timeout;

  KeepAlive(HeldLock lock, Claim claim, long askedAt) {
    this.lock = lock;
    this.claim = claim;
    this.locker = claim.locker;
    this.pause = firstPause();
    this.confirmedAt = askedAt;
  }

  private long period() {
    return claim.options.ttl().toNanos() / 3;
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
        listeners = with(listener);
        if (next == null && timeout == null) {
          plan(confirmedAt + jitteredPeriod());
        }
      }
    }
    if (loss != null) {
      notifyLost(listener, new LockLostException(lock.keys(), loss));
    }
  }

  synchronized void remove(LossListener listener) {
    listeners = without(listener);
    if (listeners.isEmpty()) {
      next = cancelled(next);
    }
  }

  private List<LossListener> with(LossListener listener) {
    if (listeners.isEmpty()) {
      return List.of(listener);
    }
    List<LossListener> all = new ArrayList<>(listeners);
    all.add(listener);
    return List.copyOf(all);
  }

  private List<LossListener> without(LossListener listener) {
    return listeners.stream().filter(other -> !other.equals(listener)).toList();
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
      refreshNumber++;
      next = cancelled(next);
      timeout = cancelled(timeout);
      if (listeners.isEmpty()) {
        return;
      }
      notified = listeners;
      listeners = List.of();
    }
    LockLostException problem = new LockLostException(lock.keys(), reason);
    notified.forEach(listener -> notifyLost(listener, problem));
  }

  private void notifyLost(LossListener listener, LockLostException loss) {
    locker.publish(() -> listener.lost(loss));
  }

  synchronized Reason reasonAtDeadline() {
    if (capped) {
      return Reason.MAX_HOLD;
    }
    return failing || timeout != null ? Reason.UNREACHABLE : Reason.EXPIRED;
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
    int refreshNumber;
    synchronized (this) {
      next = cancelled(next);
      if (loss != null || listeners.isEmpty() || timeout != null) {
        return;
      }
      capped = ttl.compareTo(claim.options.ttl()) < 0;
      refreshNumber = ++this.refreshNumber;
      timeout =
          locker.wheel.at(
              askedAt + Math.min(period(), locker.commandTimeout.toNanos()),
              () -> {
                failed(refreshNumber, locker.unanswered(StoreProblem.Reason.UNKNOWN_OUTCOME));
                locker.overdue();
              });
    }
    lock.asked(askedAt, ttl);
    claim.refresh(
        ttl,
        ours -> answered(refreshNumber, askedAt, ttl, ours),
        failure -> failed(refreshNumber, failure));
  }

  /** The ttl, or what is left of maxHold. */
  private Duration cappedTtl(long askedAt) {
    long left = lock.grantedAt() + claim.options.maxHold().toNanos() - askedAt;
    Duration ttl = claim.options.ttl();
    return left >= ttl.toNanos() ? ttl : Duration.ofMillis(Math.max(1, left / 1_000_000));
  }

  private void answered(int refreshNumber, long askedAt, Duration ttl, boolean ours) {
    if (!ours) {
      lock.lose(Reason.TAKEN);
    } else if (lock.confirm(askedAt, ttl)) {
      locker.observer.refreshed(claim.id, lock.keys());
      synchronized (this) {
        confirmedAt = Math.max(confirmedAt, askedAt);
        failing = false;
        pause = firstPause();
        if (refreshNumber == this.refreshNumber) {
          planNext(confirmedAt + jitteredPeriod());
        }
      }
    }
  }

  private void failed(int refreshNumber, StoreFailure failure) {
    synchronized (this) {
      if (refreshNumber != this.refreshNumber) {
        return;
      }
      failing = true;
      planNext(locker.now() + pause);
      pause = Math.min(2 * pause, longestPause());
    }
    locker.observer.refreshFailed(claim.id, lock.keys(), claim.failure("refresh", failure));
  }

  /** The refresh under way is over; the next one is due at this time. */
  private void planNext(long time) {
    refreshNumber++;
    timeout = cancelled(timeout);
    plan(time);
  }

  private void plan(long time) {
    if (!listeners.isEmpty() && claim.options.autoRefresh()) {
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
