// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import io.monolock.memory.InMemoryLockStore
import io.monolock.store.LockKeys
import io.monolock.store.LockStore
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.test.TestScope
import kotlinx.coroutines.test.runTest
import reactor.core.publisher.Mono
import java.time.Duration
import kotlin.time.Duration.Companion.seconds

internal val TTL = 9.seconds

/** A locker in the virtual time of a test, over keys in memory. */
internal class TestScopeLocker(
  test: TestScope,
) {
  val time = VirtualTime(test)
  val store = TroubledStore(InMemoryLockStore.create(time))
  val locker: SuspendingLocker =
    ReactiveLocker
      .builder(store)
      .timer(time)
      .publishOn(time)
      .build()
      .suspending()

  /** Another locker over the same keys, as another process would be. */
  val other: SuspendingLocker =
    ReactiveLocker
      .builder(store.store)
      .timer(time)
      .publishOn(time)
      .build()
      .suspending()

  suspend fun isFree(key: String): Boolean = store.inspect(key).awaitSingleOrNull() == null

  /** Frees the key under its holder, as a deletion of the key would. */
  suspend fun forceRelease(key: String) {
    store.forceRelease(key).awaitSingleOrNull()
  }
}

/** A test in virtual time. */
internal fun virtually(test: suspend TestScope.(TestScopeLocker) -> Unit) =
  runTest { test(TestScopeLocker(this)) }

internal fun options(
  settings: LockOptionsBuilder.() -> Unit = {
  },
): LockOptions = lockOptions(TTL, settings)

/** What was thrown: in tests coroutines throw a copy with a better stack trace, and it as cause. */
internal fun Throwable.original(): Throwable = cause?.takeIf { it::class == this::class } ?: this

/** Puts what a test sets around the calls of the store. */
internal class TroubledStore(
  val store: LockStore,
) : LockStore by store {
  var calls = 0

  @Volatile
  var onAcquire: (Mono<*>) -> Mono<*> = { it }
  var onExtend: (Mono<*>) -> Mono<*> = { it }
  var onRelease: (Mono<*>) -> Mono<*> = { it }

  override fun acquire(
    keys: LockKeys,
    token: String,
    metadata: String,
    ttl: Duration,
    fenced: Boolean,
  ) = onAcquire.around(store.acquire(keys, token, metadata, ttl, fenced))

  override fun extend(
    keys: LockKeys,
    token: String,
    ttl: Duration,
  ) = onExtend.around(store.extend(keys, token, ttl))

  override fun release(
    keys: LockKeys,
    token: String,
    keepFor: Duration,
  ) = onRelease.around(store.release(keys, token, keepFor))

  @Suppress("UNCHECKED_CAST")
  private fun <T : Any> ((Mono<*>) -> Mono<*>).around(call: Mono<T>): Mono<T> {
    calls++
    return this(call) as Mono<T>
  }
}
