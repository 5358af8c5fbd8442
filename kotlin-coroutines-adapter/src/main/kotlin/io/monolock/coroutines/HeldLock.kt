// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.reactor.CurrentLock
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.reactor.ReactorContext
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext
import kotlin.jvm.optionals.getOrNull

/**
 * The lock that a coroutine runs under, in its context: in the block of
 * [withLock][SuspendingLocker.withLock] and in all coroutines started there, and in the upstream of
 * a flow under a lock. Where scopes are nested it is the innermost one.
 *
 * ```kotlin
 * val number = coroutineContext[HeldLock]?.lock?.fencingToken()
 * ```
 *
 * [HeldLock.current] and [HeldLock.require] also find a lock that was taken by Reactor's means and
 * is in the [ReactorContext] of this coroutine, as [CurrentLock] there finds those of blocks.
 *
 * Tests of code that asks for it can put one in: `withContext(HeldLock(lock)) { ... }`. That
 * neither keeps the lock alive nor releases it.
 *
 * @property lock the lock; a release through it, too, is the block's own
 */
public class HeldLock(
  public val lock: Lock,
) : AbstractCoroutineContextElement(HeldLock) {
  /** Finds the lock in a context. */
  public companion object Key : CoroutineContext.Key<HeldLock> {
    /**
     * The lock of the innermost scope that this coroutine is in, as it is: it may be lost already.
     * Null outside of all scopes.
     */
    public suspend fun current(): Lock? {
      val context = currentCoroutineContext()
      val ofFlow = context[ReactorContext]?.let { CurrentLock.of(it.context).getOrNull() }
      return ofFlow ?: context[HeldLock]?.lock
    }

    /**
     * Makes sure that this coroutine holds a key at this moment.
     *
     * @return the lock that holds the key
     * @throws IllegalStateException when no scope around is one on this key: a mistake in the
     *   program
     * @throws io.monolock.LockLostException when the lock was held and is lost or released
     * @throws IllegalArgumentException when the key breaks a rule
     */
    public suspend fun require(key: String): Lock {
      val found = CurrentLock.require(key)
      return putIn(key) ?: checkNotNull(found.await())
    }

    /** A lock on this key that is in the context of coroutines only, where a test has put it. */
    private suspend fun putIn(key: String): Lock? =
      currentCoroutineContext()[HeldLock]?.lock?.takeIf { key in it.keys() && it.isValid }
  }

  override fun toString(): String = "HeldLock($lock)"
}
