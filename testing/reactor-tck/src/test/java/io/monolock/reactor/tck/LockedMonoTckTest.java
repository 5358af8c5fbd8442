// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor.tck;

import static io.monolock.reactor.LockOperators.locked;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** A Mono under a lock. */
public final class LockedMonoTckTest extends LockVerification {

  @Override
  Publisher<Long> over(Flux<Long> source) {
    return source.next().transformDeferred(locked(locker, newKey(), OPTIONS));
  }

  @Override
  public long maxElementsFromPublisher() {
    return 1;
  }
}
