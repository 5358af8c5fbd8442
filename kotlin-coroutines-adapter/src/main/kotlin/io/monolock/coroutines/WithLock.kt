// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.NonCancellable
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Runs a block under a lock: takes the key, waiting for it, runs the block, keeps the lock alive
 * meanwhile, and frees the key whatever becomes of the block. With the locker's
 * [defaults][ReactiveLocker.defaults], changed by [ttl].
 *
 * ```kotlin
 * val receipt = locker.withLock("order:42", 10.seconds) { charge("order:42") }
 * ```
 *
 * The block is a [CoroutineScope] of its own, as that of [kotlinx.coroutines.coroutineScope]: it
 * runs in the caller's context, on the caller's dispatcher, with [HeldLock] added; coroutines that
 * it starts are its children and are joined before the lock is released.
 *
 * Outcomes:
 *
 * - the block's own value or failure, once its children have ended and the key is free; trouble
 *   with freeing it delays the outcome by about 1 s at most and never replaces it;
 * - [io.monolock.LockLostException] when the lock was lost before the block ended: the block is
 *   cancelled at that moment and waited for, and a value that it returns does not count. A failure
 *   of its own stays, with the loss suppressed. A block that releases its lock itself may go on,
 *   nothing is lost then;
 * - [io.monolock.LockerClosedException] when the locker was closed. A locker that closes frees the
 *   locks of running blocks at once and does not wait for them; they are cancelled, also with
 *   [LockOptions.finishOnCancel]. So join your coroutines first, then close the locker;
 * - [io.monolock.LockNotAcquiredException] and [io.monolock.LockStoreException] as [acquire] throws
 *   them; then the block never ran.
 *
 * None of them is a `CancellationException`.
 *
 * Cancelled while it waits for the lock, waiting ends and nothing is left behind. Cancelled while
 * the block runs, the block is cancelled, or runs to its end with [LockOptions.finishOnCancel]. In
 * both cases the lock is kept alive until the block has really ended, however long it ignores the
 * cancellation, then it is released, then `withLock` throws the `CancellationException`. Cancelled
 * after the block, the caller still gets the outcome. The release itself is never cancelled.
 *
 * A lock that is lost cannot wait for the block: if the block ignores its cancellation, another
 * caller may have the lock meanwhile. Where that matters, check [Lock.fencingToken] at the
 * resource.
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
): T = withLock(listOf(key), ttl, block)

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
): T = withLock(keys, options = defaults().ttl(ttl.toJavaDuration()), block)

/**
 * Runs a block under a lock with these options, as [withLock] with a ttl does.
 *
 * The argument has to be named, or a lambda behind it is taken for the body of the method of
 * [ReactiveLocker] that returns a Mono:
 *
 * ```kotlin
 * val options = lockOptions(ttl = 30.seconds) { fenced = true }
 * val receipt =
 *   locker.withLock("order:42", options = options) { lock ->
 *     charge("order:42", lock.fencingToken().asLong)
 *   }
 * ```
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
): T = withLock(listOf(key), options = options, block)

/**
 * Runs a block under a lock on several keys, taken together or not at all, with these options, as
 * [withLock] with a ttl does.
 *
 * The argument has to be named, `withLock(keys, options = options) { ... }`, or a lambda behind it
 * is taken for the body of the method of [ReactiveLocker] that returns a Mono.
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
): T {
  val scope = LockScope(this, acquire(keys, options = options))
  return scope.run(contextOfBlock(scope.lock, options)) { block(scope.lock) }
}

/** A block that is to finish is no child of its caller, which waits for it nevertheless. */
private fun contextOfBlock(
  lock: Lock,
  options: LockOptions,
): CoroutineContext =
  if (options.finishOnCancel()) HeldLock(lock) + NonCancellable else HeldLock(lock)
