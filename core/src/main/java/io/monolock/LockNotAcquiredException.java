// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.LockKeys;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Another holder has the lock: try later. An expected outcome, so it carries no stack trace.
 *
 * <p>A {@link LockOptions#retry retry} spec sees it as the failure of an attempt.
 */
public final class LockNotAcquiredException extends LockException {

  /** How often the store was asked. */
  private final int attempts;

  /** How long the caller waited. */
  private final Duration waited;

  /** What was left of the holder's ttl, null when unlimited. */
  private final @Nullable Duration retryAfter;

  /** Whether the subscriber cancelled. */
  private final boolean cancelled;

  /**
   * For tests of code that handles it, and for lockers that wrap another one.
   *
   * @param keys the keys that were to be locked
   * @param attempts how often the store was asked; 0 with a zero {@code waited} says that nothing
   *     was sent, as there are waiters in the same locker already
   * @param waited from the subscription to the end of waiting
   * @param retryAfter what is left of the holder's ttl; null when a key never expires
   */
  public LockNotAcquiredException(
      Set<String> keys, int attempts, Duration waited, @Nullable Duration retryAfter) {
    this(keys, message(keys, attempts, waited, retryAfter), attempts, waited, retryAfter, false);
  }

  private LockNotAcquiredException(
      Set<String> keys,
      String message,
      int attempts,
      Duration waited,
      @Nullable Duration retryAfter,
      boolean cancelled) {
    super(keys, message, null, false);
    this.attempts = attempts;
    this.waited = waited;
    this.retryAfter = retryAfter;
    this.cancelled = cancelled;
  }

  /**
   * The error that a {@link LockObserver} is given when the subscriber cancelled while it waited.
   *
   * @param keys the keys that were to be locked
   * @param attempts how often the store was asked
   * @param waited from the subscription to its cancellation
   * @return an error of which {@link #isCancelled} is true
   */
  public static LockNotAcquiredException cancelled(
      Set<String> keys, int attempts, Duration waited) {
    String message =
        "the subscriber cancelled while it waited for "
            + LockKeys.shown(keys)
            + ", after "
            + waited.toMillis()
            + " ms";
    return new LockNotAcquiredException(keys, message, attempts, waited, null, true);
  }

  private static String message(
      Set<String> keys, int attempts, Duration waited, @Nullable Duration retryAfter) {
    if (attempts == 0 && waited.isZero()) {
      return "others wait for "
          + LockKeys.shown(keys)
          + " in this locker already: try later, or wait, too";
    }
    return "another holder has "
        + LockKeys.shown(keys)
        + ": gave up after "
        + attempts
        + (attempts == 1 ? " attempt" : " attempts")
        + " in "
        + waited.toMillis()
        + " ms; "
        + (retryAfter == null
            ? "a key never expires, so it may be no lock but data of an application: inspect says"
            : "the present lease ends in " + retryAfter.toMillis() + " ms, try later");
  }

  /**
   * How often the store was asked.
   *
   * @return the number of commands sent, without the repeat that makes a store send wake-ups
   */
  public int attempts() {
    return attempts;
  }

  /**
   * How long the caller waited.
   *
   * @return from the subscription to the end of waiting
   */
  public Duration waited() {
    return waited;
  }

  /**
   * When it may be worth trying again: a hint, as the holder may free the keys earlier or prolong
   * its lease.
   *
   * @return what was left of the holder's ttl; empty when a key never expires
   */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }

  /**
   * Whether the subscriber cancelled while it waited. Only a {@link LockObserver} ever sees that.
   *
   * @return true if no subscriber was given this error
   */
  public boolean isCancelled() {
    return cancelled;
  }
}
