// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Takes a key, waiting for it, with the locker's [defaults][ReactiveLocker.defaults] changed by
 * [ttl] and [settings].
 *
 * ```kotlin
 * val lock = locker.acquire("report", ttl = 30.seconds) { fenced = true }
 * try {
 *     write(lock.fencingToken().asLong)
 * } finally {
 *     lock.releaseAndJoin()
 * }
 * ```
 *
 * Outcomes: the lock, which is not refreshed and which is the caller's to release; or it throws
 *
 * - [io.monolock.LockNotAcquiredException] when waiting ended and another holder has the key;
 * - [io.monolock.LockStoreException] when the store was in trouble to the end, or at once when
 *   waiting cannot help;
 * - [io.monolock.LockerClosedException] when the locker is closed.
 *
 * None of them is a `CancellationException`. Cancelled while it waits, waiting ends and nothing is
 * left behind. Cancelled when the lock is granted but the coroutine has not gone on yet, the lock
 * is released in the background, unless [LockOptions.token] is set: others may hold the keys with
 * that token, so they are left to their ttl. Cancelled later, the lock is the caller's; [withLock]
 * has no such gap.
 *
 * The coroutine goes on in its own context, whose Reactor Context
 * ([ReactorContext][kotlinx.coroutines.reactor.ReactorContext]) the store sees.
 *
 * @param key the key
 * @param ttl how long the lock lives unless it is extended, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param settings sets other options
 * @return the lock
 * @throws IllegalArgumentException when the key or an option breaks a rule
 */
public suspend fun ReactiveLocker.acquire(
  key: String,
  ttl: Duration,
  settings: LockOptionsBuilder.() -> Unit = {},
): Lock = acquire(listOf(key), options = options(ttl, settings))

/**
 * Takes several keys together or not at all, as [acquire] does for one.
 *
 * @param keys the keys, 1 to 1,024
 * @param ttl how long the lock lives unless it is extended, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param settings sets other options
 * @return the lock
 * @throws IllegalArgumentException when a key or an option breaks a rule
 */
public suspend fun ReactiveLocker.acquire(
  keys: Collection<String>,
  ttl: Duration,
  settings: LockOptionsBuilder.() -> Unit = {},
): Lock = acquire(keys, options = options(ttl, settings))

/**
 * Takes a key with these options, as [acquire] with a ttl does.
 *
 * The argument has to be named, `acquire("order:42", options = options)`: without a name it is the
 * method of [ReactiveLocker] that returns a Mono.
 *
 * @param key the key
 * @param options how to wait for and hold the lock
 * @return the lock
 * @throws IllegalArgumentException when the key breaks a rule
 */
public suspend fun ReactiveLocker.acquire(
  key: String,
  options: LockOptions,
): Lock = acquire(listOf(key), options = options)

/**
 * Takes several keys together or not at all with these options, as [acquire] with a ttl does.
 *
 * The argument has to be named, `acquire(keys, options = options)`: without a name it is the method
 * of [ReactiveLocker] that returns a Mono.
 *
 * @param keys the keys, 1 to 1,024
 * @param options how to wait for and hold the lock
 * @return the lock
 * @throws IllegalArgumentException when a key breaks a rule
 */
public suspend fun ReactiveLocker.acquire(
  keys: Collection<String>,
  options: LockOptions,
): Lock = acquire(keys, options).awaitGranted(options)

/**
 * Makes one attempt to take a key, with the locker's [defaults][ReactiveLocker.defaults] changed by
 * [ttl] and [settings].
 *
 * ```kotlin
 * val lock = locker.tryAcquire("nightly", ttl = 30.seconds)
 * ```
 *
 * Outcomes: the lock, which is not refreshed and which is the caller's to release; null when
 * another holder has the key, or others wait for it in this locker;
 * [io.monolock.LockStoreException] at once when the store is in trouble;
 * [io.monolock.LockerClosedException] when the locker is closed. Cancel does what it does in
 * [acquire].
 *
 * @param key the key
 * @param ttl how long the lock lives unless it is extended, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param settings sets other options; those about waiting do not count
 * @return the lock, or null
 * @throws IllegalArgumentException when the key or an option breaks a rule
 */
public suspend fun ReactiveLocker.tryAcquire(
  key: String,
  ttl: Duration,
  settings: LockOptionsBuilder.() -> Unit = {},
): Lock? = tryAcquire(listOf(key), options = options(ttl, settings))

/**
 * Makes one attempt to take several keys, together or not at all, as [tryAcquire] does for one.
 *
 * @param keys the keys, 1 to 1,024
 * @param ttl how long the lock lives unless it is extended, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param settings sets other options; those about waiting do not count
 * @return the lock, or null
 * @throws IllegalArgumentException when a key or an option breaks a rule
 */
public suspend fun ReactiveLocker.tryAcquire(
  keys: Collection<String>,
  ttl: Duration,
  settings: LockOptionsBuilder.() -> Unit = {},
): Lock? = tryAcquire(keys, options = options(ttl, settings))

/**
 * Makes one attempt to take a key with these options, as [tryAcquire] with a ttl does.
 *
 * The argument has to be named, `tryAcquire("order:42", options = options)`: without a name it is
 * the method of [ReactiveLocker] that returns a Mono.
 *
 * @param key the key
 * @param options how to hold the lock; those about waiting do not count
 * @return the lock, or null
 * @throws IllegalArgumentException when the key breaks a rule
 */
public suspend fun ReactiveLocker.tryAcquire(
  key: String,
  options: LockOptions,
): Lock? = tryAcquire(listOf(key), options = options)

/**
 * Makes one attempt to take several keys, together or not at all, with these options, as
 * [tryAcquire] with a ttl does.
 *
 * The argument has to be named, `tryAcquire(keys, options = options)`: without a name it is the
 * method of [ReactiveLocker] that returns a Mono.
 *
 * @param keys the keys, 1 to 1,024
 * @param options how to hold the lock; those about waiting do not count
 * @return the lock, or null
 * @throws IllegalArgumentException when a key breaks a rule
 */
public suspend fun ReactiveLocker.tryAcquire(
  keys: Collection<String>,
  options: LockOptions,
): Lock? = tryAcquire(keys, options).awaitLock(options)

private fun ReactiveLocker.options(
  ttl: Duration,
  settings: LockOptionsBuilder.() -> Unit,
): LockOptions = lockOptions(defaults().ttl(ttl.toJavaDuration()), settings)
