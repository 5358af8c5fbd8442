// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlin.coroutines.EmptyCoroutineContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * A flow that is collected under a lock: each collection takes the key, waiting for it, collects
 * this flow, keeps the lock alive meanwhile, and frees the key when the collection ends. With the
 * locker's [defaults][ReactiveLocker.defaults], changed by [ttl].
 *
 * ```kotlin
 * val exported: Flow<String> = rows.withLock(locker, "export", 30.seconds)
 * ```
 *
 * The upstream sees [HeldLock] in its context. Elements are emitted in the collector's own context,
 * without a buffer; the time that the collector takes for them counts as held, too.
 *
 * A collection ends, always after the key is free and the upstream has really ended,
 *
 * - as the upstream does, by completion or its failure; trouble with freeing the key delays that by
 *   about 1 s at most and never replaces it;
 * - with [io.monolock.LockLostException] when the lock is lost: the upstream, or the collector if
 *   it is at work on an element, is cancelled, and nothing that is emitted past the loss is passed
 *   on;
 * - with the errors that [SuspendingLocker.acquire] throws; then the upstream was never collected.
 *
 * Cancelled while it waits, waiting ends and nothing is left behind. Cancelled later, or ended
 * early as by `first` or `take`, the upstream ends, then the lock is released.
 * [LockOptions.finishOnCancel] does not count: the upstream runs in the collector's coroutine and
 * cannot outlive it.
 *
 * @param locker takes the key
 * @param key the key
 * @param ttl how long the lock lives without a refresh, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param T the type of the elements
 * @return a cold flow
 * @throws IllegalArgumentException when the key or the ttl breaks a rule
 */
public fun <T> Flow<T>.withLock(
  locker: ReactiveLocker,
  key: String,
  ttl: Duration,
): Flow<T> = withLock(locker, listOf(key), ttl)

/**
 * A flow that is collected under a lock on several keys, taken together or not at all, as
 * [withLock] with one key does.
 *
 * @param locker takes the keys
 * @param keys the keys, 1 to 1,024
 * @param ttl how long the lock lives without a refresh, 10 ms to 365 days, rounded up to whole
 *   milliseconds
 * @param T the type of the elements
 * @return a cold flow
 * @throws IllegalArgumentException when a key or the ttl breaks a rule
 */
public fun <T> Flow<T>.withLock(
  locker: ReactiveLocker,
  keys: Collection<String>,
  ttl: Duration,
): Flow<T> = withLock(locker, keys, locker.defaults().ttl(ttl.toJavaDuration()))

/**
 * A flow that is collected under a lock with these options, the locker's defaults if there are
 * none, as [withLock] with a ttl does.
 *
 * @param locker takes the key
 * @param key the key
 * @param options how to wait for and hold the lock
 * @param T the type of the elements
 * @return a cold flow
 * @throws IllegalArgumentException when the key breaks a rule
 */
public fun <T> Flow<T>.withLock(
  locker: ReactiveLocker,
  key: String,
  options: LockOptions = locker.defaults(),
): Flow<T> = withLock(locker, listOf(key), options)

/**
 * A flow that is collected under a lock on several keys, taken together or not at all, with these
 * options, as [withLock] with a ttl does.
 *
 * @param locker takes the keys
 * @param keys the keys, 1 to 1,024
 * @param options how to wait for and hold the lock
 * @param T the type of the elements
 * @return a cold flow
 * @throws IllegalArgumentException when a key breaks a rule
 */
public fun <T> Flow<T>.withLock(
  locker: ReactiveLocker,
  keys: Collection<String>,
  options: LockOptions = locker.defaults(),
): Flow<T> {
  val upstream = this
  val acquisition = locker.acquire(keys, options) // throws for bad input, before any collection
  return flow {
    val scope = LockScope(locker, acquisition.awaitGranted(options))
    // nothing is added to the context here, as elements have to be emitted in the collector's
    scope.run(EmptyCoroutineContext) {
      upstream.flowOn(scope.context()).collect { element ->
        scope.ensureHeld()
        emit(element)
      }
    }
  }
}

/** A flow that is collected under a lock of a locker for coroutines, as [withLock] with a ttl. */
public fun <T> Flow<T>.withLock(
  locker: SuspendingLocker,
  key: String,
  ttl: Duration,
): Flow<T> = withLock(locker.reactive, key, ttl)

/** A flow that is collected under a lock on several keys, 1 to 1,024, as [withLock] with a ttl. */
public fun <T> Flow<T>.withLock(
  locker: SuspendingLocker,
  keys: Collection<String>,
  ttl: Duration,
): Flow<T> = withLock(locker.reactive, keys, ttl)

/** A flow that is collected under a lock with these options, as [withLock] with options. */
public fun <T> Flow<T>.withLock(
  locker: SuspendingLocker,
  key: String,
  options: LockOptions = locker.reactive.defaults(),
): Flow<T> = withLock(locker.reactive, key, options)

/** A flow that is collected under a lock on several keys, 1 to 1,024, with these options. */
public fun <T> Flow<T>.withLock(
  locker: SuspendingLocker,
  keys: Collection<String>,
  options: LockOptions = locker.reactive.defaults(),
): Flow<T> = withLock(locker.reactive, keys, options)
