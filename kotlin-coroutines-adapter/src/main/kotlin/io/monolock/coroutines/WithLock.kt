// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import kotlinx.coroutines.CoroutineScope
import kotlin.time.Duration

/**
 * Runs a block under a lock, as [SuspendingLocker.withLock] does, with the locker's
 * [defaults][ReactiveLocker.defaults] changed by [ttl]: for the one call in code that is no
 * coroutine otherwise.
 *
 * ```kotlin
 * val receipt = locker.withLock("order:42", 10.seconds) { charge("order:42") }
 * ```
 *
 * There is no such function without a ttl or options, and none for `acquire` and `tryAcquire`:
 * those are methods of [ReactiveLocker] that return a Mono. [suspending] gives the locker all of
 * whose functions suspend.
 *
 * @param key the key
 * @param ttl how long the lock lives without a refresh, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param block given the lock, what to run under it; called once
 * @param T the type of the block's value
 * @return the block's value
 * @throws IllegalArgumentException when the key or the ttl breaks a rule
 */
public suspend fun <T> ReactiveLocker.withLock(
  key: String,
  ttl: Duration,
  block: suspend CoroutineScope.(Lock) -> T,
): T = suspending().withLock(key, ttl, block)

/**
 * Runs a block under a lock on several keys, taken together or not at all, as [withLock] does for
 * one.
 *
 * @param keys the keys, 1 to 1,024
 * @param ttl how long the lock lives without a refresh, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param block given the lock, what to run under it; called once
 * @param T the type of the block's value
 * @return the block's value
 * @throws IllegalArgumentException when a key or the ttl breaks a rule
 */
public suspend fun <T> ReactiveLocker.withLock(
  keys: Collection<String>,
  ttl: Duration,
  block: suspend CoroutineScope.(Lock) -> T,
): T = suspending().withLock(keys, ttl, block)

/**
 * Runs a block under a lock with these options, as [SuspendingLocker.withLock] does.
 *
 * The argument has to be named, `withLock("order:42", options = options) { ... }`: without a name a
 * lambda behind it is taken for the body of the method of [ReactiveLocker], which has to give a
 * Mono and cannot suspend, so a suspending one does not compile.
 *
 * @param key the key
 * @param options how to wait for and hold the lock
 * @param block given the lock, what to run under it; called once
 * @param T the type of the block's value
 * @return the block's value
 * @throws IllegalArgumentException when the key breaks a rule
 */
public suspend fun <T> ReactiveLocker.withLock(
  key: String,
  options: LockOptions,
  block: suspend CoroutineScope.(Lock) -> T,
): T = suspending().withLock(key, options, block)

/**
 * Runs a block under a lock on several keys, taken together or not at all, with these options, as
 * [withLock] does for one key. The argument has to be named, `withLock(keys, options = options) {
 * ... }`.
 *
 * @param keys the keys, 1 to 1,024
 * @param options how to wait for and hold the lock
 * @param block given the lock, what to run under it; called once
 * @param T the type of the block's value
 * @return the block's value
 * @throws IllegalArgumentException when a key breaks a rule
 */
public suspend fun <T> ReactiveLocker.withLock(
  keys: Collection<String>,
  options: LockOptions,
  block: suspend CoroutineScope.(Lock) -> T,
): T = suspending().withLock(keys, options, block)
