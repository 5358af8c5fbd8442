// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Somebody else holds the lock: try later. An expected outcome, so it carries no stack trace.
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

  LockNotAcquiredException(
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

  /** What observers are told when the subscriber has cancelled. */
  static LockNotAcquiredException cancelled(Set<String> keys, int attempts, Duration waited) {
    String message =
        "the subscriber cancelled while it waited for "
            + keys
            + ", after "
            + waited.toMillis()
            + " ms";
    return new LockNotAcquiredException(keys, message, attempts, waited, null, true);
  }

  /** Nothing was sent, as others who wait in the same locker are to come first. */
  static LockNotAcquiredException othersWait(Set<String> keys, @Nullable Duration retryAfter) {
    String message = "others wait for " + keys + " in this locker already: try later, or wait, too";
    return new LockNotAcquiredException(keys, message, 0, Duration.ZERO, retryAfter, false);
  }

  private static String message(
      Set<String> keys, int attempts, Duration waited, @Nullable Duration retryAfter) {
    return "somebody else holds "
        + keys
        + ": gave up after "
        + attempts
        + (attempts == 1 ? " attempt" : " attempts")
        + " in "
        + waited.toMillis()
        + " ms; "
        + (retryAfter == null
            ? "a key never expires, look who holds it with inspect"
            : "the present lease ends in " + retryAfter.toMillis() + " ms, try later");
  }

  /**
   * How often the store was asked.
   *
   * @return the number of commands sent, without the one that makes a store tell when to try again
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
   * @return true if nobody was told this error
   */
  public boolean isCancelled() {
    return cancelled;
  }
}
