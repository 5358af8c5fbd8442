// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import kotlinx.coroutines.CoroutineScope
import kotlin.time.Duration
import kotlin.time.toKotlinDuration

/**
 * The same locker for coroutines: all of its functions suspend.
 *
 * ```kotlin
 * val suspending = locker.suspending()
 * ```
 */
public fun ReactiveLocker.suspending(): SuspendingLocker = SuspendingLocker(this)

/**
 * A locker whose functions suspend: the type to declare in classes whose code is coroutines.
 *
 * ```kotlin
 * val receipt = locker.withLock("order:42") { charge("order:42") }
 * ```
 *
 * [ReactiveLocker] has functions of the same names that return a Mono, which locks nothing unless
 * it is subscribed, and no function added to it could hide them. Here there are no others, so a
 * call means the same whether its arguments are named or not.
 *
 * | | returns | when another holder has the key |
 * | --- | --- | --- |
 * | [withLock] | the block's value, when the key is free again | waits |
 * | [tryWithLock] | the same | null, the block never ran |
 * | [acquire] | the lock, to be released by the caller | waits |
 * | [tryAcquire] | the same | null |
 *
 * Each takes a key or several, which are taken together or not at all; and nothing more, for the
 * locker's [defaults][ReactiveLocker.defaults], or a ttl that replaces theirs, or [LockOptions]
 * instead of them. [mutex] keeps keys and options.
 *
 * What throws [IllegalArgumentException] has sent nothing: for no keys, more than 1,024, one that
 * is empty or over 64 KiB of UTF-8 or has unpaired surrogates, and for an option out of range.
 *
 * Made by [suspending]; it has no state of its own, and is closed by closing [reactive].
 *
 * @property reactive the locker beneath, for its other functions and for flows
 */
public class SuspendingLocker internal constructor(
  public val reactive: ReactiveLocker,
) {
  /**
   * Takes a key, waiting for it, with the locker's defaults changed by [ttl] and [settings].
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
   * None of them is a `CancellationException`. Cancelled while it waits, waiting ends and nothing
   * is left behind. Cancelled when the lock is granted but the coroutine has not gone on yet, the
   * lock is released in the background, unless [LockOptions.token] is set: others may hold the keys
   * with that token, so they are left to their ttl. Cancelled later, the lock is the caller's. So a
   * `withTimeout` around it loses the lock if time is up just after it was returned:
   * [LockOptionsBuilder.waitAtMost] limits the wait, and [withLock] has no such gap.
   *
   * The coroutine goes on in its own context, whose Reactor Context
   * ([ReactorContext][kotlinx.coroutines.reactor.ReactorContext]) the store sees.
   *
   * @param ttl how long the lock lives unless it is extended, 10 ms to 365 days, rounded up to
   *   whole milliseconds
   * @param settings sets other options
   */
  public suspend fun acquire(
    key: String,
    ttl: Duration = defaultTtl,
    settings: LockOptionsBuilder.() -> Unit = {},
  ): Lock = acquire(listOf(key), options(ttl, settings))

  /** Takes several keys together, 1 to 1,024, as [acquire] takes one. */
  public suspend fun acquire(
    keys: Collection<String>,
    ttl: Duration = defaultTtl,
    settings: LockOptionsBuilder.() -> Unit = {},
  ): Lock = acquire(keys, options(ttl, settings))

  /** Takes a key with these options, as [acquire] with a ttl does. */
  public suspend fun acquire(
    key: String,
    options: LockOptions,
  ): Lock = acquire(listOf(key), options)

  /** Takes several keys together, 1 to 1,024, with these options, as [acquire] takes one. */
  public suspend fun acquire(
    keys: Collection<String>,
    options: LockOptions,
  ): Lock = reactive.acquire(keys, options).awaitGranted(options)

  /**
   * Makes one attempt to take a key, with the locker's defaults changed by [ttl] and [settings].
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
   * @param ttl how long the lock lives unless it is extended, 10 ms to 365 days, rounded up to
   *   whole milliseconds
   * @param settings sets other options; those about waiting do not count
   */
  public suspend fun tryAcquire(
    key: String,
    ttl: Duration = defaultTtl,
    settings: LockOptionsBuilder.() -> Unit = {},
  ): Lock? = tryAcquire(listOf(key), options(ttl, settings))

  /** Makes one attempt to take several keys, 1 to 1,024, as [tryAcquire] does for one. */
  public suspend fun tryAcquire(
    keys: Collection<String>,
    ttl: Duration = defaultTtl,
    settings: LockOptionsBuilder.() -> Unit = {},
  ): Lock? = tryAcquire(keys, options(ttl, settings))

  /** Makes one attempt to take a key with these options, as [tryAcquire] with a ttl does. */
  public suspend fun tryAcquire(
    key: String,
    options: LockOptions,
  ): Lock? = tryAcquire(listOf(key), options)

  /** Makes one attempt to take several keys, 1 to 1,024, with these options. */
  public suspend fun tryAcquire(
    keys: Collection<String>,
    options: LockOptions,
  ): Lock? = reactive.tryAcquire(keys, options).awaitLock(options)

  /**
   * Runs a block under a lock: takes the key, waiting for it, runs the block, keeps the lock alive
   * meanwhile, and frees the key whatever becomes of the block.
   *
   * The block is a [CoroutineScope] of its own, as that of [kotlinx.coroutines.coroutineScope]: it
   * runs in the caller's context, on the caller's dispatcher, with [HeldLock] added; coroutines
   * that it starts are its children and are joined before the lock is released.
   *
   * Outcomes:
   *
   * - the block's own value or failure, once its children have ended and the key is free; trouble
   *   with freeing it delays the outcome by about 1 s at most and never replaces it;
   * - [io.monolock.LockLostException] when the lock was lost before the block ended: the block is
   *   cancelled at that moment and waited for, and a value that it returns does not count. A
   *   failure of its own stays, with the loss suppressed. A block that releases its lock itself may
   *   go on, nothing is lost then;
   * - [io.monolock.LockerClosedException] when the locker was closed. A locker that closes frees
   *   the locks of running blocks at once and does not wait for them; they are cancelled, also with
   *   [LockOptions.finishOnCancel]. So join your coroutines first, then close the locker;
   * - [io.monolock.LockNotAcquiredException] and [io.monolock.LockStoreException] as [acquire]
   *   throws them; then the block never ran.
   *
   * None of them is a `CancellationException`.
   *
   * Cancelled while it waits for the lock, waiting ends and nothing is left behind. Cancelled while
   * the block runs, the block is cancelled, or runs to its end with [LockOptions.finishOnCancel].
   * In both cases the lock is kept alive until the block has really ended, however long it ignores
   * the cancellation, then it is released, then `withLock` throws the `CancellationException`.
   * Cancelled after the block, the caller still gets the outcome. The release itself is never
   * cancelled.
   *
   * A lock that is lost cannot wait for the block: if the block ignores its cancellation, another
   * caller may have the lock meanwhile. Where that matters, check [Lock.fencingToken] at the
   * resource.
   *
   * @param options how to wait for and hold the lock
   * @param block given the lock, what to run under it; called once
   */
  public suspend fun <T> withLock(
    key: String,
    options: LockOptions = reactive.defaults(),
    block: suspend CoroutineScope.(Lock) -> T,
  ): T = withLock(listOf(key), options, block)

  /** Runs a block under a lock on several keys, 1 to 1,024, as [withLock] does for one. */
  public suspend fun <T> withLock(
    keys: Collection<String>,
    options: LockOptions = reactive.defaults(),
    block: suspend CoroutineScope.(Lock) -> T,
  ): T = LockScope(reactive, acquire(keys, options)).run(options, block)

  /**
   * Runs a block under a lock that lives for [ttl] without a refresh, 10 ms to 365 days, rounded up
   * to whole milliseconds, else with the locker's defaults, as [withLock] with options does.
   */
  public suspend fun <T> withLock(
    key: String,
    ttl: Duration,
    block: suspend CoroutineScope.(Lock) -> T,
  ): T = withLock(listOf(key), options(ttl), block)

  /** Runs a block under a lock on several keys, 1 to 1,024, as [withLock] with a ttl for one. */
  public suspend fun <T> withLock(
    keys: Collection<String>,
    ttl: Duration,
    block: suspend CoroutineScope.(Lock) -> T,
  ): T = withLock(keys, options(ttl), block)

  /**
   * Runs a block under a lock if the key can be had at once: makes one attempt, and is null without
   * having run the block when another holder has the key, or others wait for it in this locker.
   *
   * ```kotlin
   * locker.tryWithLock("nightly-report") { report() } ?: println("runs elsewhere")
   * ```
   *
   * Else all is as in [withLock], but that trouble of the store is thrown at once. The block cannot
   * give null itself, which would look like a key that is held.
   *
   * @param options how to hold the lock; those about waiting do not count
   * @param block given the lock, what to run under it; called at most once
   */
  public suspend fun <T : Any> tryWithLock(
    key: String,
    options: LockOptions = reactive.defaults(),
    block: suspend CoroutineScope.(Lock) -> T,
  ): T? = tryWithLock(listOf(key), options, block)

  /** Runs a block under a lock on several keys, 1 to 1,024, if all can be had at once. */
  public suspend fun <T : Any> tryWithLock(
    keys: Collection<String>,
    options: LockOptions = reactive.defaults(),
    block: suspend CoroutineScope.(Lock) -> T,
  ): T? = tryAcquire(keys, options)?.let { LockScope(reactive, it).run(options, block) }

  /**
   * Runs a block under a lock if the key can be had at once, as [tryWithLock] with options does.
   *
   * @param ttl how long the lock lives without a refresh, 10 ms to 365 days, rounded up to whole
   *   milliseconds
   */
  public suspend fun <T : Any> tryWithLock(
    key: String,
    ttl: Duration,
    block: suspend CoroutineScope.(Lock) -> T,
  ): T? = tryWithLock(listOf(key), options(ttl), block)

  /** Runs a block under a lock on several keys, 1 to 1,024, if all can be had at once. */
  public suspend fun <T : Any> tryWithLock(
    keys: Collection<String>,
    ttl: Duration,
    block: suspend CoroutineScope.(Lock) -> T,
  ): T? = tryWithLock(keys, options(ttl), block)

  /**
   * A view of one key that has the shape of a mutex.
   *
   * ```kotlin
   * val mutex = locker.mutex("order:42")
   * val receipt = mutex.withLock { charge("order:42") }
   * ```
   */
  public fun mutex(
    key: String,
    options: LockOptions = reactive.defaults(),
  ): KeyMutex = mutex(listOf(key), options)

  /** A view of several keys, 1 to 1,024, as [mutex] gives of one. */
  public fun mutex(
    keys: Collection<String>,
    options: LockOptions = reactive.defaults(),
  ): KeyMutex = KeyMutex(reactive, keys, options)

  /**
   * A view of one key that has the shape of a mutex.
   *
   * @param ttl how long its locks live without a refresh, 10 ms to 365 days, rounded up to whole
   *   milliseconds
   */
  public fun mutex(
    key: String,
    ttl: Duration,
  ): KeyMutex = mutex(listOf(key), options(ttl))

  /** A view of several keys, 1 to 1,024, as [mutex] with a ttl gives of one. */
  public fun mutex(
    keys: Collection<String>,
    ttl: Duration,
  ): KeyMutex = mutex(keys, options(ttl))

  override fun toString(): String = "SuspendingLocker($reactive)"

  private val defaultTtl: Duration get() = reactive.defaults().ttl().toKotlinDuration()

  private fun options(
    ttl: Duration,
    settings: LockOptionsBuilder.() -> Unit = {},
  ): LockOptions =
    lockOptions(reactive.defaults()) {
      this.ttl = ttl
      settings()
    }
}
