// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockException
import io.monolock.test.DroppedSignals
import io.monolock.test.RedisServer
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.sync.Semaphore
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith
import reactor.core.scheduler.Schedulers
import java.util.concurrent.TimeUnit
import java.util.concurrent.TimeUnit.NANOSECONDS
import java.util.concurrent.atomic.AtomicInteger
import kotlin.math.pow
import kotlin.random.Random
import kotlin.time.Duration
import kotlin.time.Duration.Companion.microseconds
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime

/**
 * Coroutines cancelled at a random moment leave nothing in Redis (G4), and exclude each other all
 * the while. `-Dmonolock.storm.rounds` says how many.
 */
@ExtendWith(DroppedSignals::class)
class CoroutineCancelStormTest(
  server: RedisServer,
) : LockerOnRedis(server) {
  private val options =
    lockOptions(1.minutes) {
      waitAtMost = 30.seconds
      retry =
        reactor.util.retry.Retry
          .fixedDelay(Long.MAX_VALUE, java.time.Duration.ofMillis(5))
    }
  private var trip = Duration.ZERO
  private val inside = AtomicInteger()
  private val overlaps = AtomicInteger()
  private val granted = AtomicInteger()
  private val held = AtomicInteger()
  private val ended = AtomicInteger()

  /** What is cancelled, given a locker and the number of the round. */
  private val kinds: List<suspend (SuspendingLocker, Int) -> Unit> =
    listOf(
      { locker, i ->
        locker.withLock("own:$i", options) {
          held.incrementAndGet()
          awaitCancellation()
        }
      },
      {
        locker,
        i,
        ->
        locker.withLock(listOf("a:$i", "b:$i"), options) { launch { delay(1.minutes) } }
      },
      { locker, _ -> locker.withLock("contended", options) { exclusively { yield() } } },
      { locker, _ -> locker.withLock("contended", options) { exclusively { spin() } } },
      {
        locker,
        _,
        ->
        flow { exclusively { emit(1) } }.withLock(locker, "contended", options).collect()
      },
      { locker, i ->
        locker.withLock(
          "finished:$i",
          options =
            lockOptions(options) {
              finishOnCancel = true
            },
        ) { delay(1.milliseconds) }
      },
      { locker, i ->
        withTimeoutOrNull(Random.nextInt(2_000).microseconds) {
          locker.withLock("timed:$i", options) { awaitCancellation() }
        }
      },
      { locker, i ->
        val lock = locker.acquire("raw:$i", options)
        try {
          awaitCancellation()
        } finally {
          lock.releaseAndJoin()
        }
      },
      { locker, _ -> locker.tryAcquire("contended", options)?.releaseAndJoin() },
    )

  @Test
  @DisplayName(
    "G4, B27, B122: cancelled after a random time, coroutines leave no key and never overlap",
  )
  fun leaveNothingBehind(dropped: DroppedSignals) {
    dropped.allow() // the outcome of a release that has no subscriber any longer
    val lockers = listOf(locker(), locker())
    runBlocking(Dispatchers.Default) {
      lockers.forEach { it.withLock("warm-up", options) { } }
      trip =
        measureTime { repeat(50) { lockers[0].withLock("warm-up", options) { } } } / 50
      val room = Semaphore(IN_FLIGHT)
      repeat(ROUNDS) { i ->
        room.acquire()
        val job =
          launch {
            try {
              kinds[i % kinds.size](lockers[i / kinds.size % 2], i)
            } catch (_: LockException) {
              // a waiter may time out in a storm
            }
          }
        job.invokeOnCompletion {
          ended.incrementAndGet()
          room.release()
        }
        Schedulers.single().schedule(job::cancel, randomDelay(), NANOSECONDS)
      }
    }

    assertThat(ended).hasValue(ROUNDS)
    assertThat(granted).hasPositiveValue()
    assertThat(held).hasPositiveValue()
    assertThat(overlaps).hasValue(0)
    await().atMost(10, TimeUnit.SECONDS).untilAsserted { assertThat(keys()).isEmpty() }
    await().during(500, TimeUnit.MILLISECONDS).until { keys().isEmpty() }
    assertThat(dropped.errors()).isEmpty()
    assertThat(dropped.values()).allMatch { it is Boolean }
  }

  private suspend fun exclusively(work: suspend () -> Unit) {
    granted.incrementAndGet()
    if (inside.incrementAndGet() > 1) {
      overlaps.incrementAndGet()
    }
    try {
      work()
    } finally {
      inside.decrementAndGet()
    }
  }

  /** From a small part of the time that a scope takes to many times that, so all stages are met. */
  private fun randomDelay(): Long =
    (trip * 2.0.pow(Random.nextDouble(-5.0, 6.0))).inWholeNanoseconds

  private fun spin() {
    val end = System.nanoTime() + NANOSECONDS.convert(1, TimeUnit.MILLISECONDS)
    while (System.nanoTime() < end) {
      Thread.onSpinWait()
    }
  }

  private companion object {
    private val ROUNDS = Integer.getInteger("monolock.storm.rounds", 10_000)
    private const val IN_FLIGHT = 64
  }
}
