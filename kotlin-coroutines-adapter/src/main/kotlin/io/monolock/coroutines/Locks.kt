// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.withContext
import kotlin.time.Duration
import kotlin.time.toJavaDuration

/**
 * Holds the keys for at least a ttl from now on; never shortens.
 *
 * It returns when that is done, or throws [io.monolock.LockLostException] when the keys are no
 * longer ours or the deadline is past, and [io.monolock.LockStoreException] when the store is in
 * trouble; then the lock is held as long as it was, or longer. Cancelled, it may or may not have
 * been extended.
 *
 * @param ttl 10 ms to 365 days, rounded up to whole milliseconds
 * @throws IllegalArgumentException when the ttl is out of range
 */
public suspend fun Lock.extend(ttl: Duration) {
  extend(ttl.toJavaDuration()).await()
}

/**
 * Frees the keys and waits until that is done, also in a coroutine that is cancelled: it belongs
 * into a `finally`. Never touches another holder's lock.
 *
 * It throws [io.monolock.LockStoreException] when the store was in trouble for the whole command
 * time-out; the release then goes on in the background. A repeat gives the first outcome. It cannot
 * be cancelled, and never throws a `CancellationException`.
 *
 * @return true: the keys are free through us, or kept only by
 *   [io.monolock.LockOptions.holdAtLeast]; false: the lock was no longer ours
 */
public suspend fun Lock.releaseAndJoin(): Boolean =
  withContext(NonCancellable) {
    release().await() == true
  }
