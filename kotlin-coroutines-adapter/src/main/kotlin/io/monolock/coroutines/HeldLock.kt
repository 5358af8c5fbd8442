// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import kotlin.coroutines.AbstractCoroutineContextElement
import kotlin.coroutines.CoroutineContext

/** The lock that a coroutine runs under. */
public class HeldLock(
  public val lock: Lock,
) : AbstractCoroutineContextElement(HeldLock) {
  public companion object Key : CoroutineContext.Key<HeldLock>
}
