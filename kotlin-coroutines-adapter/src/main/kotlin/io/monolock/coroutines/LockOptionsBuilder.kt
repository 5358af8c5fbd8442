// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockOptions
import reactor.util.retry.Retry
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlin.time.toKotlinDuration

/**
 * Options with this ttl, what [settings] says, and the defaults of [LockOptions] for all others.
 *
 * ```kotlin
 * val fenced = lockOptions(ttl = 30.seconds) { fenced = true }
 * ```
 *
 * @param ttl how long the lock lives without a refresh, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param settings sets other options
 * @throws IllegalArgumentException when a value is out of range
 */
public fun lockOptions(
  ttl: Duration,
  settings: LockOptionsBuilder.() -> Unit = {},
): LockOptions = lockOptions(LockOptions.of(ttl.toJavaDuration()), settings)

/**
 * Options that differ from others in what [settings] says.
 *
 * ```kotlin
 * val atOnce = lockOptions(from = locker.reactive.defaults()) { waitAtMost = Duration.ZERO }
 * ```
 *
 * @param from the others; they stay as they are
 * @param settings sets options
 * @throws IllegalArgumentException when a value is out of range
 */
public fun lockOptions(
  from: LockOptions,
  settings: LockOptionsBuilder.() -> Unit,
): LockOptions = LockOptionsBuilder(from).apply(settings).options

/**
 * Sets options by assignment. Each property is the option of [LockOptions] of the same name, whose
 * meaning, range and default are documented there. A value out of range is an
 * [IllegalArgumentException] at the assignment.
 */
public class LockOptionsBuilder internal constructor(
  internal var options: LockOptions,
) {
  /** How long the lock lives in the store unless it is refreshed. */
  public var ttl: Duration
    get() = options.ttl().toKotlinDuration()
    set(value) {
      options = options.ttl(value.toJavaDuration())
    }

  /** How the attempts of the first waiter are spaced, and when it gives up. */
  public var retry: Retry
    get() = options.retry()
    set(value) {
      options = options.retry(value)
    }

  /** How long an acquisition waits at most; zero is a single attempt. */
  public var waitAtMost: Duration
    get() = options.waitAtMost().toKotlinDuration()
    set(value) {
      options = options.waitAtMost(value.toJavaDuration())
    }

  /** Whether the lock is refreshed while its block runs. */
  public var autoRefresh: Boolean
    get() = options.autoRefresh()
    set(value) {
      options = options.autoRefresh(value)
    }

  /** How long refreshes may hold a lock in all. */
  public var maxHold: Duration
    get() = options.maxHold().toKotlinDuration()
    set(value) {
      options = options.maxHold(value.toJavaDuration())
    }

  /** Whether the lock gets a fencing token. */
  public var fenced: Boolean
    get() = options.fenced()
    set(value) {
      options = options.fenced(value)
    }

  /** Text that is stored behind the token, for people who look at Redis. */
  public var metadata: String
    get() = options.metadata()
    set(value) {
      options = options.metadata(value)
    }

  /** A token of the caller's; null is a new one each time, and nothing that can be assigned. */
  public var token: String?
    get() = options.token().orElse(null)
    set(value) {
      options =
        options.token(
          requireNotNull(value) { "token must be 22 characters of [A-Za-z0-9_-], was null" },
        )
    }

  /** How long the keys stay taken at least, even if the lock is released earlier. */
  public var holdAtLeast: Duration
    get() = options.holdAtLeast().toKotlinDuration()
    set(value) {
      options = options.holdAtLeast(value.toJavaDuration())
    }

  /** Whether the block of a cancelled caller runs to its end instead of being cancelled. */
  public var finishOnCancel: Boolean
    get() = options.finishOnCancel()
    set(value) {
      options = options.finishOnCancel(value)
    }
}
