// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockException
import io.monolock.LockLostException
import io.monolock.LockLostException.Reason
import io.monolock.LockOptions
import io.monolock.LockerClosedException
import io.monolock.ReactiveLocker
import io.monolock.reactor.CurrentLock
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.isActive
import kotlinx.coroutines.job
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.withContext
import reactor.core.publisher.Mono
import reactor.util.context.Context
import java.time.Duration
import kotlin.coroutines.CoroutineContext

/**
 * One block under one lock that was acquired for it.
 *
 * The block is a scope of its own, a child of the caller, and the lock is kept alive until that
 * scope has ended with all its children, whatever the reason. Only then is the lock released, which
 * a cancelled caller waits for, too. So no other caller has the lock while the block runs, unless
 * the lock is lost.
 *
 * Time-outs of this class are in real time, not in that of the coroutine's dispatcher: a test that
 * skips delays must not skip the release.
 */
internal class LockScope(
  private val locker: ReactiveLocker,
  private val held: Lock,
) {
  private val ofBlock = LockOfBlock(held)
  private var loss: LockException? = null

  /** The lock for the block. */
  val lock: Lock get() = ofBlock

  /**
   * Runs a block that finds the lock in its context, then frees the keys. One that is to finish is
   * no child of its caller, which waits for it nevertheless.
   */
  suspend fun <T> run(
    options: LockOptions,
    block: suspend CoroutineScope.(Lock) -> T,
  ): T {
    val held = context()
    return run(if (options.finishOnCancel()) held + NonCancellable else held) { block(lock) }
  }

  /** Where a block finds the lock: as a coroutine, and in what it subscribes. */
  suspend fun context(): CoroutineContext {
    val ofCaller = currentCoroutineContext()[ReactorContext]?.context ?: Context.empty()
    return HeldLock(lock) + ReactorContext(CurrentLock.with(locker, lock).apply(ofCaller))
  }

  /**
   * Runs the block, then frees the keys.
   *
   * @param added what is added to the caller's context for the block
   */
  suspend fun <T> run(
    added: CoroutineContext,
    block: suspend CoroutineScope.() -> T,
  ): T {
    val outcome =
      runCatching {
        val value =
          withContext(added) {
            cancelWhenLost(coroutineContext.job)
            block()
          }
        currentCoroutineContext().ensureActive() // a block that was not cancelled with its caller
        value
      }
    val loss = withContext(NonCancellable) { end() }
    if (loss != null) {
      throw errorOf(loss, outcome.exceptionOrNull())
    }
    return outcome.getOrThrow()
  }

  /** Fails when the lock is lost; a release by the block itself is its own business. */
  suspend fun ensureHeld() {
    loss()?.let { throw it }
  }

  private fun cancelWhenLost(scope: Job) {
    val watch =
      held.keepAlive<Nothing>().subscribe({}, {
        if (!(isRelease(it) && ofBlock.isReleased)) {
          scope.cancel(CancellationException("the lock on ${held.keys()} is lost", it))
        }
      })
    scope.invokeOnCompletion { watch.dispose() }
  }

  /** Why the lock was lost before the block ended, null if it was not. */
  private suspend fun end(): LockException? {
    val loss = loss()
    if (loss != null) {
      held.free()
    } else {
      held
        .release()
        .timeout(RELEASE_TIMEOUT)
        .onErrorComplete()
        .await()
    }
    return loss
  }

  private suspend fun loss(): LockException? {
    if (loss == null && !held.isValid) {
      loss = reason()
    }
    return loss
  }

  /** A handle that is not valid any more sends no extension: it fails with the reason. */
  private suspend fun reason(): LockException? =
    try {
      held.extend(SHORTEST_TTL).await()
      null
    } catch (lost: LockLostException) {
      when {
        !isRelease(lost) -> lost
        ofBlock.isReleased -> null
        else -> closed() ?: lost
      }
    }

  /** The block has not released the lock, so a locker that closes may have. */
  private suspend fun closed(): LockerClosedException? =
    try {
      locker.inspect(held.keys().first()).await()
      null
    } catch (closed: LockerClosedException) {
      closed
    } catch (_: LockException) {
      null
    }

  private fun isRelease(problem: Throwable) =
    problem is LockLostException && problem.reason() == Reason.RELEASED

  /**
   * A failure of the block's own stays; a cancellation is one only if the caller was cancelled.
   */
  private suspend fun errorOf(
    loss: LockException,
    failure: Throwable?,
  ): Throwable =
    when {
      failure == null || failure === loss -> loss
      failure !is CancellationException -> failure.apply { addSuppressed(loss) }
      currentCoroutineContext().isActive -> loss
      else -> failure
    }

  private companion object {
    private val RELEASE_TIMEOUT = Duration.ofSeconds(1)
    private val SHORTEST_TTL = Duration.ofMillis(10)
  }
}

/** The lock as the block has it, which remembers whether the block released it. */
private class LockOfBlock(
  private val held: Lock,
) : Lock by held {
  @Volatile
  var isReleased = false
    private set

  override fun release(): Mono<Boolean> =
    Mono.defer {
      isReleased = true
      held.release()
    }

  override fun toString(): String = held.toString()
}
