// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.LockOptions;
import io.monolock.store.Grant;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * One command by which a line asks for its keys, made for the waiter that was first then. Its grant
 * serves the one that is first when it comes.
 */
final class LineAttempt extends LeaseCall<Grant> {

  final WaitLine line;
  final AcquireSubscription cause;

  /** How many had joined the line by then: a refusal counts for them only. */
  final long joined;

  final long askedAt;

  /** When this locker got the keys, if they are handed over. */
  long turnBegunAt = Nanos.NEVER;

  /** The release of another lease from which the keys are taken over; null for an acquire. */
  private final @Nullable LeaseCall<Boolean> from;

  LineAttempt(
      WaitLine line,
      Lease lease,
      AcquireSubscription cause,
      long joined,
      @Nullable LeaseCall<Boolean> from) {
    super(lease, Kind.ACQUIRE, line.keys, cause.context);
    this.line = line;
    this.cause = cause;
    this.joined = joined;
    this.from = from;
    this.askedAt = lease.locker.now();
  }

  LockOptions options() {
    return cause.options;
  }

  boolean isTransfer() {
    return from != null;
  }

  /** Asks, unless the locker was closed meanwhile: then its waiters are about to end. */
  void ask() {
    if (!isTransfer() && locker.leases.isClosed()) {
      return;
    }
    lease.asks(this);
    limit(locker.shorter(options().ttl()));
    lease.enter(this);
  }

  @Override
  Duration grace() {
    return options().ttl();
  }

  @Override
  Mono<Grant> call() {
    LockOptions options = options();
    return from != null
        ? HandOver.call(this, from.lease, from)
        : locker.store.acquire(
            keys, lease.token, options.metadata(), options.ttl(), options.fenced());
  }

  @Override
  void answered(Grant grant) {
    if (grant instanceof Grant.Busy busy) {
      line.refused(this, busy.remaining().orElse(null));
    } else if (grant instanceof Grant.Granted given) {
      if (!lease.granted(this, given.fresh())) {
        line.askAgain(this);
      } else if (!line.granted(this, given.fencingToken())) {
        lease.notTaken(this);
      }
    }
  }

  @Override
  void failed(StoreFailure failure) {
    line.failed(this, failure);
  }
}
