// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.monolock.store.Grant;
import io.monolock.store.Transfer;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Decides where keys go that a caller gives back while others wait for them, and owns the outcome
 * for both sides.
 *
 * <ol>
 *   <li>Holding at least, doubt, another handle of the token, a locker that closes: no hand-over.
 *   <li>{@linkplain #pass Pass the lease on}, sending nothing: if it was granted lately, only this
 *       locker knows its token, and the next caller wants the same. The next handle starts with the
 *       deadline as it is.
 *   <li>{@linkplain #transfer Transfer} the keys by one command to a new token, with a full ttl and
 *       with proof that they are still ours.
 *   <li>If the turn of this locker is over, free the keys, and step back for other processes.
 * </ol>
 */
final class HandOver {

  /** A lease is passed on for this long, at most, after it was asked for. */
  static final long LONGEST_UNCONFIRMED = MILLISECONDS.toNanos(100);

  private HandOver() {}

  /**
   * Passes the lease of a handle that has ended on to the next caller; false if it must not.
   *
   * @param passed is run before the next caller is told
   */
  static boolean pass(Lease lease, HeldLock from, Runnable passed) {
    LockerContext locker = lease.locker;
    WaitLine line = locker.lines.find(from.keys);
    if (line == null || locker.leases.isClosed() || !lease.mayBePassedOn(from, locker.now())) {
      return false;
    }
    AcquireSubscription next = line.next(lease, from.options);
    if (next == null) {
      return false;
    }
    HeldLock handle =
        new HeldLock(
            lease, from.keys, next, OptionalLong.empty(), from.confirmedAt(), from.deadline());
    lease.begin(handle);
    passed.run();
    next.granted(handle);
    return true;
  }

  /**
   * The attempt of the next caller that takes the keys over; null if they are to be freed.
   *
   * @param release is answered with the part of the releaser
   */
  static @Nullable LineAttempt transfer(Lease from, LeaseCall<Boolean> release) {
    LockerContext locker = from.locker;
    WaitLine line = locker.lines.find(release.keys);
    return line == null || !from.isUndoubted(locker.now()) ? null : line.transfer(from, release);
  }

  /** The call that takes the keys over, with the part of the releaser signalled to the release. */
  static Mono<Grant> call(LineAttempt to, Lease from, LeaseCall<Boolean> release) {
    LockerContext locker = from.locker;
    return Mono.defer(
            () ->
                locker.store.transfer(
                    to.keys,
                    from.token,
                    to.lease.token,
                    to.options().metadata(),
                    to.options().ttl(),
                    to.options().fenced()))
        .switchIfEmpty(
            Mono.error(() -> new IllegalStateException("a transfer completed without an answer")))
        .doOnNext(transfer -> release.onNext(transfer.released()))
        .doOnError(release::onError)
        .map(Transfer::grant);
  }
}
