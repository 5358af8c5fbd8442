// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor.tck;

import io.monolock.reactor.Leadership;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** What runs on the leader. */
public final class LeadershipTckTest extends LockVerification {

  @Override
  Publisher<Long> over(Flux<Long> source) {
    return Leadership.of(locker, newKey(), OPTIONS).whileLeader(source);
  }
}
