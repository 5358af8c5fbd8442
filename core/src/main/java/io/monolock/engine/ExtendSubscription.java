// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.LockLostException;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * One extension that a user asks for. Its answer counts for the handle at once, and is signalled
 * when the users' threads have time; it ends at the deadline unless the handle is still held then.
 */
final class ExtendSubscription extends ResultSubscription<Void> {

  private final HeldLock lock;
  private final LockKeys keys;
  private final Duration ttl;
  private volatile TimerWheel.@Nullable Task atDeadline;

  ExtendSubscription(
      HeldLock lock, LockKeys keys, Duration ttl, CoreSubscriber<? super Void> subscriber) {
    super(lock.locker, subscriber);
    this.lock = lock;
    this.keys = keys;
    this.ttl = ttl;
  }

  @Override
  void begin() {
    if (isLost()) {
      return;
    }
    long askedAt = locker.now();
    ExtendCall call = new ExtendCall(askedAt);
    atDeadline = locker.wheel.limit(lock.remaining(), this::isLost);
    call.limit(locker.commandTimeout);
    if (!lock.lease.enter(call, lock, Nanos.after(askedAt, ttl))) {
      isLost();
    }
    if (!isOpen()) {
      ended();
    }
  }

  /** Ends with the loss, if there is one. */
  private boolean isLost() {
    LockLostException loss = lock.loss();
    if (loss != null) {
      error(loss);
    }
    return loss != null;
  }

  @Override
  void ended() {
    TimerWheel.Task task = atDeadline;
    if (task != null) {
      task.cancel();
    }
  }

  private final class ExtendCall extends LeaseCall<Boolean> {

    private final long askedAt;

    ExtendCall(long askedAt) {
      super(lock.lease, Kind.EXTEND, ExtendSubscription.this.keys, lock.context);
      this.askedAt = askedAt;
    }

    @Override
    Mono<Boolean> call() {
      return locker.store.extend(keys, lease.token, ttl);
    }

    @Override
    void answered(Boolean ours) {
      if (!ours) {
        lock.denied(askedAt);
      } else if (keys.equals(lock.keys)) {
        boolean unused = lock.confirm(askedAt, ttl);
      }
      if (isLost()) {
        return;
      }
      if (ours) {
        ExtendSubscription.this.empty();
      } else {
        failed(locker.unanswered(UNKNOWN_OUTCOME));
      }
    }

    @Override
    void failed(StoreFailure failure) {
      error(locker.failed(lock.keys, "extend", failure));
    }
  }
}
