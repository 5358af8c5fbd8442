// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.time.Duration;
import java.util.Collection;
import java.util.OptionalLong;
import java.util.Set;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A handle of a lock that was acquired: a lease on one or several keys that ends at its deadline
 * unless it is extended or kept alive.
 *
 * <p>The deadline counts from just before the store was asked, less 1 % of the ttl and 2 ms, so
 * that the store never frees the keys before this handle stops trusting them. Past its deadline a
 * handle is lost for good; no late answer brings it back. Instances are safe for use by any number
 * of threads; signals arrive on the locker's {@code publishOn} scheduler.
 */
@CheckReturnValue
public interface Lock {

  /**
   * What is locked.
   *
   * @return the keys, distinct and sorted; immutable
   */
  Set<String> keys();

  /**
   * What proves ownership in the store. Any process that knows it can {@linkplain
   * ReactiveLocker#attach go on} with this lock, so keep it secret. {@code toString} never prints
   * it whole.
   *
   * <p>It is new for every lease. A locker passes a lease on from one caller to the next without a
   * command, if both want the same; asking for the token while the lock is held switches that off
   * for its lease, as user code knows the token then. First asked for after the end of the lock, it
   * is a token that was never in the store.
   *
   * @return 22 characters of {@code [A-Za-z0-9_-]}
   */
  String token();

  /**
   * What is stored behind the token.
   *
   * @return the metadata of the options, {@code ""} when none
   */
  String metadata();

  /**
   * A number that is higher for every later acquisition of any of the keys. A resource that refuses
   * numbers below the highest it has seen is safe even from a holder that was paused past its
   * deadline.
   *
   * @return the number, present with {@link LockOptions#fenced}
   */
  OptionalLong fencingToken();

  /**
   * How long this handle may still be trusted: local, monotonic, without a round trip.
   *
   * @return the time to the deadline; zero from the moment that {@link #release()} is subscribed,
   *     once the lock is lost, and past the deadline
   */
  Duration remaining();

  /**
   * Whether this handle may still be trusted. Exact: it does not wait for a timer.
   *
   * @return whether {@link #remaining()} is more than zero
   */
  boolean isValid();

  /**
   * Asks the store how long the keys still are ours.
   *
   * <p>Outcomes: the shortest time to live among the keys; zero when they are no longer held;
   * {@link LockStoreException} when the store is in trouble. Cancelled, the answer is dropped.
   *
   * @return the time to live, in whole milliseconds
   */
  Mono<Duration> ttl();

  /**
   * Holds the keys for at least a ttl from now on; never shortens.
   *
   * <p>Outcomes: completion; {@link LockLostException} when the keys are no longer ours or the
   * deadline is past; {@link LockStoreException} when the store is in trouble, and then the lock is
   * held as long as it was, or longer. Cancelled, it may or may not have been extended.
   *
   * @param ttl 10 ms to 365 days, rounded up to whole milliseconds
   * @return completes when the keys are held
   * @throws IllegalArgumentException when the ttl is out of range
   */
  Mono<Void> extend(Duration ttl);

  /**
   * Holds some of the keys for at least a ttl from now on; never shortens. The deadline of this
   * handle, which stands for all of its keys, stays where it is, unless these are all.
   *
   * <p>Outcomes and cancel as for {@link #extend(Duration)}.
   *
   * @param keys at least one of {@link #keys()}, and no other
   * @param ttl 10 ms to 365 days, rounded up to whole milliseconds
   * @return completes when these keys are held
   * @throws IllegalArgumentException when a key is not locked by this lock, or the ttl is out of
   *     range
   */
  Mono<Void> extend(Collection<String> keys, Duration ttl);

  /**
   * Frees the keys, or with {@link LockOptions#holdAtLeast} has them freed when that time is over.
   * Never touches another holder's lock.
   *
   * <p>Outcomes:
   *
   * <ul>
   *   <li>true: the keys are free through us;
   *   <li>false: the lock was no longer ours;
   *   <li>{@link LockStoreException} when the store was in trouble for the whole command time-out.
   *       Release goes on in the background until it is answered or the ttl is over.
   * </ul>
   *
   * <p>A repeat gives the first outcome. Cancelling the returned Mono does not stop the release.
   *
   * @return whether the keys are free through us
   */
  Mono<Boolean> release();

  /**
   * Keeps the lock alive while subscribed: refreshes it at about a third of its ttl (unless {@link
   * LockOptions#autoRefresh} is off) and signals its loss. Race your work against it:
   *
   * <pre>{@code
   * Mono<Report> report = work.or(lock.keepAlive());
   * }</pre>
   *
   * <p>Outcomes: never a value, never completion; {@link LockLostException} at the deadline even if
   * the store never answers, at the next refresh when the keys are gone or another's, and with
   * reason {@code RELEASED} once this handle is released. Cancelled, refreshing stops.
   *
   * @param <T> the type of the work that it is raced against
   * @return never a value; an error when the lock is lost
   */
  <T> Mono<T> keepAlive();

  /**
   * Runs a body as long as this lock is held, and keeps it alive meanwhile. The lock is not
   * released at the end.
   *
   * <pre>{@code
   * Mono<Report> report = lock.whileHeld(work);
   * }</pre>
   *
   * <p>Outcomes: what the body signals before the deadline; {@link LockLostException} when the lock
   * is lost, with reason {@code RELEASED} once this handle is released. The body is cancelled at
   * that moment, and not subscribed if the lock is over already. An error of the body itself stays,
   * with the loss suppressed.
   *
   * <p>Cancelled, the body is cancelled; with {@link LockOptions#finishOnCancel} it runs on to its
   * end, and the lock is kept alive as long, unless it is released.
   *
   * @param body what may run only under the lock; subscribed on the caller's thread
   * @param <T> type of its value
   * @return the body's outcome, or the loss as an error
   */
  <T> Mono<T> whileHeld(Mono<T> body);

  /**
   * Like {@link #whileHeld} for a body of many elements; each of them is checked against the
   * deadline.
   *
   * @param body what may run only under the lock; subscribed on the caller's thread
   * @param <T> type of its elements
   * @return the body's elements and its end, or the loss as an error
   */
  <T> Flux<T> whileHeldMany(Publisher<T> body);
}
