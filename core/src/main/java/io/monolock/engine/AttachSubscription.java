// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Goes on with a lock that another caller or process has acquired, by its token: extends it, to see
 * that every key is still ours, and when fenced acquires it once more, which returns the number of
 * the first grant.
 */
final class AttachSubscription extends ResultSubscription<Lock> implements HeldLock.Owner {

  private final LockKeys keys;
  private final String token;
  private final LockOptions options;
  private long askedAt;
  private long releasesBefore;

  /** Found to be held, but not delivered yet. */
  private volatile @Nullable HeldLock found;

  AttachSubscription(
      LockerContext locker,
      LockKeys keys,
      String token,
      LockOptions options,
      CoreSubscriber<? super Lock> subscriber) {
    super(locker, subscriber);
    this.keys = keys;
    this.token = token;
    this.options = options;
  }

  @Override
  void begin() {
    if (locker.leases.isClosed()) {
      error(locker.closed(keys));
      return;
    }
    askedAt = locker.now();
    ExtendCall extend;
    do {
      Lease lease = locker.leases.of(token);
      releasesBefore = lease.releasesBegun();
      extend = new ExtendCall(lease);
    } while (!extend.lease.enterUnlessSettled(extend));
    extend.limit(locker.commandTimeout);
  }

  /** Whether every key is still ours. */
  private final class ExtendCall extends AttachCall<Boolean> {

    ExtendCall(Lease lease) {
      super(lease, Kind.EXTEND);
    }

    @Override
    Mono<Boolean> call() {
      return locker.store.extend(keys, token, options.ttl());
    }

    @Override
    void answered(Boolean ours) {
      if (!ours) {
        AttachSubscription.this.empty();
      } else if (options.fenced()) {
        askForNumber(lease);
      } else {
        found(lease, OptionalLong.empty());
      }
    }
  }

  private void askForNumber(Lease lease) {
    AttachCall<Grant> acquire =
        new AttachCall<>(lease, LeaseCall.Kind.ACQUIRE) {
          @Override
          Mono<Grant> call() {
            return locker.store.acquire(keys, token, options.metadata(), options.ttl(), true);
          }

          @Override
          void answered(Grant grant) {
            if (grant instanceof Grant.Granted given && !given.fresh()) {
              found(lease, given.fencingToken());
              return;
            }
            if (grant instanceof Grant.Granted) {
              lease.addUnclaimed(keys); // it ended between the two calls, and is not to be acquired
            }
            AttachSubscription.this.empty();
          }
        };
    acquire.limit(locker.commandTimeout);
    lease.enter(acquire);
  }

  /** The handle is one of its lease from now on, so that it ends when the keys are released. */
  private void found(Lease lease, OptionalLong fencingToken) {
    HeldLock lock = handle(lease, fencingToken);
    lock.owner(this);
    if (!lease.attach(lock, releasesBefore)) {
      empty(); // another caller of this token has given the keys back meanwhile
      return;
    }
    found = lock;
    if (!value(() -> opened(lock))) {
      lock.giveUp();
    }
  }

  private @Nullable HeldLock opened(HeldLock lock) {
    if (locker.leases.isClosed()) {
      lock.giveUp();
      throw locker.closed(keys);
    }
    if (lock.hasEnded()) {
      return null; // as above
    }
    if (!lock.isValid()) {
      lock.giveUp();
      throw storeError(locker.unanswered(UNKNOWN_OUTCOME));
    }
    lock.open();
    return lock;
  }

  @Override
  void cancelled() {
    HeldLock lock = found;
    if (lock != null) {
      lock.giveUp();
    }
  }

  /** The locker closes, which the subscriber is told instead of being given the lock. */
  @Override
  public void end(boolean now) {
    cancelled();
  }

  @Override
  public Optional<LockActivity> activity() {
    return Optional.empty();
  }

  private HeldLock handle(Lease lease, OptionalLong fencingToken) {
    return new HeldLock(
        lease,
        keys,
        options,
        locker.nextId(),
        context(),
        fencingToken,
        askedAt,
        HeldLock.deadline(askedAt, options.ttl()));
  }

  private LockStoreException storeError(StoreFailure failure) {
    return locker.failed(keys, "attach to the lock on", failure);
  }

  private abstract class AttachCall<T> extends LeaseCall<T> {

    AttachCall(Lease lease, Kind kind) {
      super(lease, kind, AttachSubscription.this.keys, context());
    }

    @Override
    void failed(StoreFailure failure) {
      error(storeError(failure));
    }
  }
}
