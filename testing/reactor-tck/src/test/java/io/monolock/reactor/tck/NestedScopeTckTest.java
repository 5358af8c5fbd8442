// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor.tck;

import io.monolock.ReactiveLocker;
import io.monolock.reactor.ReentrantLocker;
import java.util.List;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** A Flux in a scope that is nested in part. */
public final class NestedScopeTckTest extends LockVerification {

  @Override
  Publisher<Long> over(Flux<Long> source) {
    ReactiveLocker reentrant = ReentrantLocker.wrap(locker);
    String key = newKey();
    List<String> keys = List.of(key, newKey());
    return reentrant.withLockMany(
        key, OPTIONS, outer -> reentrant.withLockMany(keys, OPTIONS, inner -> source));
  }
}
