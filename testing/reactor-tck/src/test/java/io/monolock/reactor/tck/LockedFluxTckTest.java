// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor.tck;

import static io.monolock.reactor.LockOperators.locked;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** A Flux under a lock. */
public final class LockedFluxTckTest extends LockVerification {

  @Override
  Publisher<Long> over(Flux<Long> source) {
    return source.transformDeferred(locked(locker, newKey(), OPTIONS));
  }
}
