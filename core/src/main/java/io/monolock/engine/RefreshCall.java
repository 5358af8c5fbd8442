// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockStoreException;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** One refresh of a {@link KeepAlive}. */
final class RefreshCall extends LeaseCall<Boolean> {

  final long askedAt;
  private final KeepAlive keepAlive;
  private final HeldLock lock;
  private final Duration ttl;

  RefreshCall(KeepAlive keepAlive, HeldLock lock, long askedAt, Duration ttl) {
    super(lock.lease, Kind.EXTEND, lock.keys, lock.context);
    this.keepAlive = keepAlive;
    this.lock = lock;
    this.askedAt = askedAt;
    this.ttl = ttl;
  }

  @Override
  Mono<Boolean> call() {
    return locker.store.extend(keys, lease.token, ttl);
  }

  @Override
  void answered(Boolean ours) {
    if (!ours) {
      lock.denied(askedAt);
      endedWithout(null);
    } else if (lock.confirm(askedAt, ttl)) {
      locker.observer.refreshed(lock.id, lock.keys());
      keepAlive.refreshed(this);
    }
  }

  @Override
  void failed(StoreFailure failure) {
    endedWithout(failure);
  }

  private void endedWithout(@Nullable StoreFailure failure) {
    LockStoreException problem =
        failure == null ? null : locker.failed(lock.keys, "refresh", failure);
    if (!keepAlive.tryAgain(this, problem)) {
      return;
    }
    lease.troubled(true);
    if (problem != null) {
      locker.observer.refreshFailed(lock.id, lock.keys(), problem);
    }
  }
}
