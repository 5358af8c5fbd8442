// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockLostException
import io.monolock.LockNotAcquiredException
import io.monolock.LockOptions
import io.monolock.LockStoreException
import io.monolock.LockerClosedException
import io.monolock.ReactiveLocker
import io.monolock.memory.InMemoryLockStore
import io.monolock.store.StoreFailure
import io.monolock.store.StoreProblem
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import reactor.core.publisher.Sinks
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import kotlin.test.assertFailsWith
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource
import kotlin.time.toJavaDuration

class SuspendAcquireTest {
  @Test
  fun tryAcquireIsNullWhenAnotherHolderHasTheKey() =
    virtually { v ->
      val holder = v.other.acquire("a", TTL)

      assertThat(v.locker.tryAcquire("a", TTL)).isNull()
      assertThat(v.locker.tryAcquire(listOf("a", "b"), TTL)).isNull()
      assertThat(v.locker.tryAcquire("a", options())).isNull()
      assertThat(v.locker.tryAcquire(listOf("b", "a"), options())).isNull()

      holder.releaseAndJoin()
      assertThat(v.locker.tryAcquire("a", TTL)).isNotNull()
    }

  @Test
  fun acquireWaitsForTheHolder() =
    virtually { v ->
      v.other.acquire("a", TTL)

      val lock = v.locker.acquire("a", TTL)

      assertThat(v.time.passed()).isBetween(TTL, TTL + 1.seconds)
      assertThat(lock.keys()).containsExactly("a")
      assertThat(lock.isValid).isTrue()
    }

  @Test
  fun releaseGivesWhetherTheLockWasOurs() =
    virtually { v ->
      val lock = v.locker.acquire(listOf("a", "b"), TTL)
      val lost = v.locker.acquire("c", TTL)
      v.forceRelease("c")

      assertThat(lock.releaseAndJoin()).isTrue()
      assertThat(lock.releaseAndJoin()).isTrue()
      assertThat(lost.releaseAndJoin()).isFalse()
    }

  @Test
  fun extendHoldsForAtLeastTheTtl() =
    virtually { v ->
      val lock = v.locker.acquire("a", TTL)

      lock.extend(1.minutes)

      assertThat(
        lock.remaining(),
      ).isBetween(59.seconds.toJavaDuration(), 60.seconds.toJavaDuration())
      assertFailsWith<IllegalArgumentException> { lock.extend(0.seconds) }
      v.forceRelease("a")
      assertFailsWith<LockLostException> { lock.extend(1.minutes) }
    }

  @Test
  @DisplayName("all four kinds of errors arrive as themselves, not as copies")
  fun errorsArriveAsThemselves() =
    virtually { v ->
      v.other.acquire("a", 1.hours)
      val busy = assertFailsWith<LockNotAcquiredException> { v.locker.acquire("a", TTL) }
      val own = v.locker.acquire("b", TTL)
      v.forceRelease("b")
      val lost = assertFailsWith<LockLostException> { own.extend(TTL) }
      val failure = StoreFailure(StoreProblem.Reason.PERMISSION, false, "no", null)
      v.store.onAcquire = { Mono.error<Any>(failure) }
      val broken = assertFailsWith<LockStoreException> { v.locker.tryAcquire("c", TTL) }
      v.locker.reactive
        .close()
        .awaitSingleOrNull()
      val closed = assertFailsWith<LockerClosedException> { v.locker.acquire("d", TTL) }

      assertThat(listOf(busy, lost, closed)).allMatch { it.cause == null }
      assertThat(broken.cause).isSameAs(failure)
      assertThat(busy.retryAfter()).isPresent()
      assertThat(lost.reason()).isEqualTo(LockLostException.Reason.TAKEN)
    }

  @Test
  @DisplayName(
    "B122: a lock that is granted but not dispatched yet is freed when the job is cancelled",
  )
  fun grantIsNotLostBetweenResumeAndDispatch() {
    for (taking in waysToTake()) {
      assertThat(keyIsFreeAfterAGrantThatIsNotDispatched(options(), taking)).isTrue()
    }
  }

  @Test
  @DisplayName("B122: with a token of the caller's it is left to its ttl, as others may hold it")
  fun grantOfAKnownTokenIsLeftToItsTtl() {
    val known = options { token = "a".repeat(22) }

    for (taking in waysToTake()) {
      assertThat(keyIsFreeAfterAGrantThatIsNotDispatched(known, taking)).isFalse()
    }
  }

  private fun waysToTake(): List<suspend (SuspendingLocker, LockOptions) -> Any?> =
    listOf(
      { locker, options -> locker.acquire("a", options) },
      { locker, options -> locker.tryAcquire("a", options) },
      { locker, options -> locker.withLock("a", options) { error("the block ran") } },
    )

  private fun keyIsFreeAfterAGrantThatIsNotDispatched(
    options: LockOptions,
    taking: suspend (SuspendingLocker, LockOptions) -> Any?,
  ): Boolean {
    val store = TroubledStore(InMemoryLockStore.create())
    val locker = ReactiveLocker.create(store).suspending()
    val letThrough = Sinks.empty<Any>()
    store.onAcquire = { call -> call.delayUntil { letThrough.asMono() } }
    val blocked = CountDownLatch(1)
    val unblock = CountDownLatch(1)
    var lock: Any? = null
    Executors.newSingleThreadExecutor().asCoroutineDispatcher().use { dispatcher ->
      runBlocking {
        val taker =
          launch(dispatcher) {
            this@runBlocking.launch(dispatcher) {
              // its turn comes when this one waits for the lock
              blocked.countDown()
              unblock.await()
            }
            lock = taking(locker, options)
          }
        withContext(Dispatchers.IO) { blocked.await() }
        store.onAcquire = { it }
        letThrough.tryEmitEmpty()
        await().until { isGranted(locker.reactive) }
        taker.cancel()
        unblock.countDown()
      }
    }
    assertThat(lock).isNull()
    try {
      return within(1.seconds) {
        locker.reactive
          .inspect("a")
          .blockOptional()
          .isEmpty
      }
    } finally {
      locker.reactive.close().block()
    }
  }

  private fun within(
    limit: Duration,
    condition: () -> Boolean,
  ): Boolean {
    val start = TimeSource.Monotonic.markNow()
    while (!condition()) {
      if (start.elapsedNow() > limit) {
        return false
      }
      Thread.onSpinWait()
    }
    return true
  }

  /** Asked behind everything that was published for this key. */
  private fun isGranted(locker: ReactiveLocker): Boolean =
    locker.tryAcquire("a", TTL.toJavaDuration()).blockOptional().isEmpty
}
