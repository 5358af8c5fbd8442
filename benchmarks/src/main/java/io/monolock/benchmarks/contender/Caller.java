// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import reactor.core.publisher.Mono;

/** Somebody who takes one lock, as often as its Monos are subscribed, never twice at a time. */
public interface Caller {

  /**
   * Takes the lock, waiting for it, and frees it.
   *
   * @param whileHeld is run in between
   * @return completes when the lock is free again
   */
  Mono<?> turn(Runnable whileHeld);

  /**
   * Takes the lock, waiting for it.
   *
   * @return what frees it
   */
  Mono<Mono<?>> take();

  /**
   * Takes the lock, waiting for it, and keeps it alive while it is subscribed.
   *
   * @param whenHeld is run once it is held
   * @return only ever an error: the lock is lost
   */
  Mono<?> keep(Runnable whenHeld);
}
