// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.store.StoreProblem.Reason.UNKNOWN_OUTCOME;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import java.util.OptionalLong;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Mono;

/**
 * Goes on with a lock that another caller or process has acquired, by its token: extends it, to see
 * that every key is still ours, and when fenced acquires it once more, which returns the number of
 * the first grant.
 */
final class AttachSubscription extends ResultSubscription<Lock> {

  private final LockKeys keys;
  private final String token;
  private final LockOptions options;
  private long askedAt;
  private long releasesBefore;

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
    Lease lease = locker.leases.of(token);
    releasesBefore = lease.releasesBegun();
    AttachCall<Boolean> extend =
        new AttachCall<>(lease, LeaseCall.Kind.EXTEND) {
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
              open(lease, OptionalLong.empty());
            }
          }
        };
    extend.limit(locker.commandTimeout);
    lease.enter(extend);
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
              open(lease, given.fencingToken());
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

  /** The lease may be settled by now: then the token has a new one. */
  private void open(Lease lease, OptionalLong fencingToken) {
    value(
        () -> {
          if (locker.leases.isClosed()) {
            throw locker.closed(keys);
          }
          HeldLock lock = handle(lease, fencingToken);
          if (!lock.isValid()) {
            throw storeError(locker.unanswered(UNKNOWN_OUTCOME));
          }
          long before = releasesBefore;
          while (!lock.lease.attach(lock, before)) {
            if (lock.lease.releasesBegun() != before) {
              return null; // another caller of this token has given the keys back meanwhile
            }
            lock = handle(locker.leases.of(token), fencingToken);
            before = lock.lease.releasesBegun();
          }
          locker.leases.add(lock.lease);
          lock.open();
          return lock;
        });
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
