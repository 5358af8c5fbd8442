// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Releases once more what a command takes that was delayed or sent again on its way; what is left
 * of holdAtLeast stays.
 */
final class RepeatedRelease extends StoreCall<Boolean> {

  private static final Logger LOG = LoggerFactory.getLogger(RepeatedRelease.class);

  private final Lease lease;
  private final LockKeys keys;

  RepeatedRelease(Lease lease, LockKeys keys) {
    super(lease.locker, lease.context());
    this.lease = lease;
    this.keys = keys;
  }

  @Override
  Mono<Boolean> call() {
    return locker.store.release(keys, lease.token, lease.keepFor());
  }

  @Override
  void answered(Boolean wasOurs) {
    if (wasOurs) {
      LOG.debug("freed {}, taken by a command that was delayed on its way", keys);
    }
  }

  @Override
  void failed(StoreFailure failure) {
    LOG.debug("could not repeat the release of {}", keys, failure);
  }
}
