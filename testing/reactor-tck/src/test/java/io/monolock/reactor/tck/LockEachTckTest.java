// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor.tck;

import static io.monolock.reactor.LockOperators.lockEach;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Work for each element under the lock of its key. */
public final class LockEachTckTest extends LockVerification {

  @Override
  Publisher<Long> over(Flux<Long> source) {
    String keys = newKey();
    return source.transform(
        lockEach(locker, number -> keys + ":" + number % 3, OPTIONS, Mono::just, 4));
  }
}
