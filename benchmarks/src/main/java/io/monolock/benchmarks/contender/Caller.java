// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import reactor.core.publisher.Mono;

/** A caller of one lock. Each subscription acquires it; there is never more than one at a time. */
public interface Caller {

  /**
   * Acquires the lock, waiting for it, and releases it.
   *
   * @param whileHeld runs while the lock is held
   * @return completes when the lock is released
   */
  Mono<?> acquireAndRelease(Runnable whileHeld);

  /**
   * Acquires the lock, waiting for it.
   *
   * @return a Mono that releases it
   */
  Mono<Mono<?>> acquire();

  /**
   * Acquires the lock, waiting for it, and keeps it alive until the subscription is cancelled.
   *
   * @param whenHeld runs once the lock is held
   * @return only ever an error: the lock is lost
   */
  Mono<?> hold(Runnable whenHeld);
}
