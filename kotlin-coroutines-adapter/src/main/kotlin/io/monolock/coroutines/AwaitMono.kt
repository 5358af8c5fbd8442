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
import kotlin.coroutines.resumeWithException

/**
 * The lock, or null, of an acquisition that is subscribed now. One that is granted when the
 * coroutine is cancelled, but has not been dispatched yet, is released, unless other callers may
 * hold the keys through the token.
 */
internal suspend fun Mono<Lock>.awaitLock(options: LockOptions): Lock? =
  await { unused ->
    if (options.token().isEmpty) {
      unused.free()
    }
  }

/** The lock of an acquisition that waits, and so gives a lock or fails. */
internal suspend fun Mono<Lock>.awaitGranted(options: LockOptions): Lock =
  checkNotNull(awaitLock(options)) { "an acquisition that waits has ended without a lock" }

/** Frees the keys in the background; the locker reports trouble with that. */
internal fun Lock.free() {
  release().subscribe({}, {})
}

/**
 * The value of this Mono, or null, subscribed with the caller's Reactor Context.
 *
 * The functions of kotlinx-coroutines-reactor cannot be used: they throw away a value that comes
 * when the coroutine is cancelled but has not been dispatched yet, and look for services in files
 * when they are first used, which may be in a thread that must not block.
 *
 * @param onUndelivered called with such a value
 */
internal suspend fun <T : Any> Mono<T>.await(onUndelivered: (T) -> Unit = {}): T? {
  val context = currentCoroutineContext()[ReactorContext]?.context ?: Context.empty()
  return suspendCancellableCoroutine { subscribe(AwaitingSubscriber(it, context, onUndelivered)) }
}

private class AwaitingSubscriber<T : Any>(
  private val continuation: CancellableContinuation<T?>,
  private val context: Context,
  private val onUndelivered: (T) -> Unit,
) : CoreSubscriber<T> {
  private var hasValue = false

  override fun currentContext(): Context = context

  override fun onSubscribe(subscription: Subscription) {
    continuation.invokeOnCancellation { subscription.cancel() }
    subscription.request(1)
  }

  override fun onNext(value: T) {
    hasValue = true
    continuation.resume(value) { _, unused, _ -> onUndelivered(unused) }
  }

  override fun onComplete() {
    if (!hasValue) {
      continuation.resume(null) { _, _, _ -> }
    }
  }

  override fun onError(e: Throwable) {
    continuation.resumeWithException(e)
  }
}
