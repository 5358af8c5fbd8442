// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import kotlinx.coroutines.CoroutineScope

/**
 * A key, or several taken together, and how to hold them: what a
 * [Mutex][kotlinx.coroutines.sync.Mutex] is to the coroutines of one process, for those of all
 * processes. Made by [SuspendingLocker.mutex].
 *
 * It is no `Mutex` of kotlinx.coroutines, whose `unlock` any coroutine may call and whose `owner`
 * is what the caller says. Here the holder is known by a token of the store, a lock ends with its
 * block, and it can be lost meanwhile. As there, a block that takes its own key again waits for
 * itself. Waiters of this process are served in their order; between processes luck decides.
 *
 * It holds nothing itself: instances are cheap, need no closing, are safe for use by any number of
 * coroutines, and all of the same key exclude each other.
 */
public class KeyMutex internal constructor(
  private val locker: ReactiveLocker,
  private val keys: Collection<String>,
  private val options: LockOptions,
) {
  // these throw for bad input, before anything is locked; each await is an acquisition of its own
  private val acquisition = locker.acquire(keys, options)
  private val attempt = locker.tryAcquire(keys, options)

  /**
   * Runs a block under the lock, as [SuspendingLocker.withLock] does.
   *
   * @param block given the lock, what to run under it; called once
   */
  public suspend fun <T> withLock(block: suspend CoroutineScope.(Lock) -> T): T =
    LockScope(locker, acquisition.awaitGranted(options)).run(options, block)

  /**
   * Runs a block under the lock if it can be had at once, as [SuspendingLocker.tryWithLock] does;
   * null if it cannot.
   *
   * @param block given the lock, what to run under it; called at most once
   */
  public suspend fun <T : Any> tryWithLock(block: suspend CoroutineScope.(Lock) -> T): T? =
    attempt.awaitLock(options)?.let { LockScope(locker, it).run(options, block) }

  override fun toString(): String = "KeyMutex($keys)"
}
