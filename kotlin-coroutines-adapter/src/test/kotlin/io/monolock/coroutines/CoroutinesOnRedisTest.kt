// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockLostException
import io.monolock.LockNotAcquiredException
import io.monolock.LockStoreException
import io.monolock.LockerClosedException
import io.monolock.test.FaultProxy
import io.monolock.test.RedisServer
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import java.util.concurrent.atomic.AtomicBoolean
import kotlin.test.assertFailsWith
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource
import kotlin.time.toJavaDuration

class CoroutinesOnRedisTest(
  server: RedisServer,
) : LockerOnRedis(server) {
  private val waiting = lockOptions(1.minutes) { waitAtMost = 30.seconds }

  @Test
  @DisplayName("B121: a closed connection is a failure, not a cancellation")
  fun troubleOfTheStoreIsNoCancellation() =
    runBlocking<Unit> {
      FaultProxy.before(server).use { proxy ->
        val locker = locker(proxy.uri())
        locker.withLock("warm-up", TTL) { }
        proxy.refuse()
        proxy.cut()

        supervisorScope {
          val caller =
            async {
              locker.withLock(
                "a",
                options { waitAtMost = 500.milliseconds },
              ) { }
            }
          val trouble = assertFailsWith<LockStoreException> { caller.await() }
          assertThat(trouble).isNotInstanceOf(CancellationException::class.java)
        }
        val job = launch { assertFailsWith<LockStoreException> { locker.tryAcquire("a", TTL) } }
        job.join()
        assertThat(job.isCancelled).isFalse()
      }
    }

  @Test
  @DisplayName("B121: a locker that closes fails its callers, and cancels no job")
  fun closingIsNoCancellation() =
    runBlocking<Unit> {
      val locker = locker()
      locker().acquire("held", 1.minutes)

      supervisorScope {
        val waiter = async { locker.withLock("held", waiting) { } }
        val runner = async { locker.withLock("a", waiting) { awaitCancellation() } }
        awaitUntil { exists("a") }
        locker.reactive.close().awaitSingleOrNull()

        assertFailsWith<LockerClosedException> { waiter.await() }
        assertFailsWith<LockerClosedException> { runner.await() }
      }
      assertThat(exists("a")).isFalse()
    }

  @Test
  @DisplayName("B123: when withLock returns, the key is free at that moment")
  fun keyIsFreeWhenWithLockReturns() =
    runBlocking<Unit>(Dispatchers.IO) {
      FaultProxy.before(server).use { proxy ->
        val locker = locker(proxy.uri())
        locker.withLock("warm-up", TTL) { }
        proxy.delayRequests(20.milliseconds.toJavaDuration())

        (1..50)
          .map { lane ->
            async {
              repeat(20) {
                val value = locker.withLock("$lane", TTL) { exists("$lane") }
                assertThat(value).isTrue()
                assertThat(exists("$lane")).isFalse()
              }
            }
          }.awaitAll()
      }
      assertThat(keys()).isEmpty()
    }

  @Test
  @DisplayName("B31: no other caller has the lock while the block of a cancelled caller runs")
  fun blockNeverRunsOnceAnotherHasTheLock() =
    runBlocking<Unit>(Dispatchers.IO) {
      val locker = locker()
      val other = locker()

      repeat(200) { round ->
        val key = "$round"
        val started = CompletableDeferred<Unit>()
        val running = AtomicBoolean()
        val caller =
          launch {
            locker.withLock(key, waiting) {
              running.set(true)
              started.complete(Unit)
              spin(5.milliseconds) // and does not look whether it is cancelled
              running.set(false)
            }
          }
        started.await()
        val next =
          async {
            (
              if (round % 2 ==
                0
              ) {
                locker
              } else {
                other
              }
            ).withLock(key, waiting) { running.get() }
          }

        caller.cancel()

        assertThat(next.await()).isFalse()
        caller.join()
      }
    }

  @Test
  fun lostLockCancelsTheBlockAndJoinsIt() =
    runBlocking<Unit> {
      val locker = locker()
      var ended = false

      val loss =
        assertFailsWith<LockLostException> {
          locker.withLock("a", 300.milliseconds) {
            server.command("DEL", "a")
            try {
              awaitCancellation()
            } finally {
              spin(50.milliseconds)
              ended = true
            }
          }
        }

      assertThat(loss.reason()).isEqualTo(LockLostException.Reason.TAKEN)
      assertThat(ended).isTrue()
    }

  @Test
  fun busyKeyIsNullOrAnErrorThatSaysWhenToTryAgain() =
    runBlocking<Unit> {
      val locker = locker()
      val holder = locker().acquire(listOf("a", "b"), 1.minutes)

      assertThat(locker.tryAcquire("a", TTL)).isNull()
      val busy =
        assertFailsWith<LockNotAcquiredException> {
          locker.acquire("b", TTL) {
            waitAtMost = Duration.ZERO
          }
        }
      assertThat(busy.retryAfter()).isPresent()
      assertThat(holder.releaseAndJoin()).isTrue()
      assertThat(locker.tryAcquire("a", TTL)?.releaseAndJoin()).isTrue()
    }

  @Test
  fun flowIsCollectedUnderTheLock() =
    runBlocking<Unit> {
      val rows =
        flow {
          repeat(3) { emit(exists("a")) }
        }

      assertThat(rows.withLock(locker(), "a", TTL).toList()).containsExactly(true, true, true)
      assertThat(exists("a")).isFalse()
    }

  private fun spin(time: Duration) {
    val start = TimeSource.Monotonic.markNow()
    while (start.elapsedNow() < time) {
      Thread.onSpinWait()
    }
  }

  private suspend fun awaitUntil(condition: () -> Boolean) {
    while (!condition()) {
      withContext(Dispatchers.IO) { delay(1.milliseconds) }
    }
  }
}
