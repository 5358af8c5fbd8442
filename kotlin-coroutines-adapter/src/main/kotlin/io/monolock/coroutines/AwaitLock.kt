// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockOptions
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.suspendCancellableCoroutine
import org.reactivestreams.Subscription
import reactor.core.CoreSubscriber
import reactor.core.publisher.Mono
import reactor.util.context.Context
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException

/**
 * The lock, or null, of an acquisition that is subscribed now.
 *
 * `awaitSingle` would lose a lock that is granted when the coroutine is cancelled but has not been
 * dispatched yet: what is passed to a continuation then is thrown away. Here it is released.
 */
internal suspend fun Mono<Lock>.awaitLock(options: LockOptions): Lock? {
  val context = currentCoroutineContext()[ReactorContext]?.context ?: Context.empty()
  return suspendCancellableCoroutine { continuation ->
    subscribe(Taker(continuation, context, options))
  }
}

/** The lock of an acquisition that waits, and so gives a lock or fails. */
internal suspend fun Mono<Lock>.awaitGranted(options: LockOptions): Lock =
  checkNotNull(awaitLock(options)) { "an acquisition that waits has ended without a lock" }

/** Frees the keys in the background; trouble with that is told by the locker. */
internal fun Lock.free() {
  release().subscribe({}, {})
}

private class Taker(
  private val continuation: CancellableContinuation<Lock?>,
  private val context: Context,
  private val options: LockOptions,
) : CoreSubscriber<Lock> {
  private var isTaken = false

  override fun currentContext(): Context = context

  override fun onSubscribe(subscription: Subscription) {
    continuation.invokeOnCancellation { subscription.cancel() }
    subscription.request(1)
  }

  override fun onNext(lock: Lock) {
    isTaken = true
    continuation.resume(lock) { _, unused, _ -> giveBack(unused) }
  }

  /** With a token of the caller's somebody else may hold the keys through it. */
  private fun giveBack(lock: Lock) {
    if (options.token().isEmpty) {
      lock.free()
    }
  }

  override fun onComplete() {
    if (!isTaken) {
      continuation.resume(null)
    }
  }

  override fun onError(e: Throwable) {
    continuation.resumeWithException(e)
  }
}
