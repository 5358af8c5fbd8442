// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/**
 * The lock that a coroutine runs under, in its context: in the block of [withLock] and in all
 * coroutines started there, and in the upstream of a flow under a lock. Where scopes are nested it
 * is the innermost one.
 *
 * ```kotlin
 * val number = coroutineContext[HeldLock]?.lock?.fencingToken()
 * ```
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
  public companion object Key : CoroutineContext.Key<HeldLock>

  override fun toString(): String = "HeldLock($lock)"
}
