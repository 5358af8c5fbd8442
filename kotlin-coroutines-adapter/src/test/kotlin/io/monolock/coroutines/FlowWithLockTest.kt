// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockLostException
import io.monolock.LockNotAcquiredException
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.buffer
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.flow.emptyFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import kotlin.test.assertFailsWith
import kotlin.test.fail
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

class FlowWithLockTest {
  @Test
  fun elementsArePassedOnUnderTheLockAndTheKeyIsFreeAfterwards() =
    virtually { v ->
      val seen = mutableListOf<Int>()

      flowOf(1, 2, 3).withLock(v.locker, listOf("a", "b"), TTL).collect {
        assertThat(v.isFree("a") || v.isFree("b")).isFalse()
        seen += it
      }

      assertThat(seen).containsExactly(1, 2, 3)
      assertThat(v.isFree("a") && v.isFree("b")).isTrue()
    }

  @Test
  fun eachCollectionTakesALockOfItsOwn() =
    virtually { v ->
      val tokens =
        flow {
          emit(currentCoroutineContext()[HeldLock]!!.lock.token())
        }.withLock(v.locker, "a", TTL)
      assertThat(v.isFree("a")).isTrue()

      assertThat(tokens.first()).isNotEqualTo(tokens.first())
    }

  @Test
  fun upstreamSeesTheLockAndTheCollectorItsOwnContext() =
    virtually { v ->
      withContext(CoroutineName("collector")) {
        val upstream =
          flow {
            assertThat(currentCoroutineContext()[HeldLock]?.lock?.keys()).containsExactly("a")
            assertThat(currentCoroutineContext()[CoroutineName]?.name).isEqualTo("collector")
            emit(1)
            delay(1.seconds)
            emit(2)
          }

        upstream.withLock(v.locker, "a", options()).collect {
          assertThat(currentCoroutineContext()[HeldLock]).isNull()
          assertThat(currentCoroutineContext()[CoroutineName]?.name).isEqualTo("collector")
        }
        upstream
          .withLock(v.locker, "a", TTL)
          .flowOn(CoroutineName("collector"))
          .buffer(1)
          .map { it + 1 }
          .collect()
      }
    }

  @Test
  fun lockIsRefreshedWhileTheCollectorWorks() =
    virtually { v ->
      flowOf(1, 2).withLock(v.locker, "a", TTL).collect {
        delay(1.minutes)
        assertThat(v.other.tryAcquire("a", TTL)).isNull()
      }
    }

  @Test
  fun failureOfTheUpstreamIsTheOutcomeAndTheKeyIsFree() =
    virtually { v ->
      val failing =
        flow {
          emit(1)
          throw ArithmeticException()
        }

      assertFailsWith<ArithmeticException> { failing.withLock(v.locker, "a", TTL).collect() }

      assertThat(v.isFree("a")).isTrue()
      assertThat(
        failing.withLock(v.locker, "a", TTL).catch { emit(2) }.toList(),
      ).containsExactly(1, 2)
    }

  @Test
  fun failureOfTheCollectorIsTheOutcomeAndTheKeyIsFree() =
    virtually { v ->
      assertFailsWith<ArithmeticException> {
        flowOf(1).withLock(v.locker, "a", TTL).collect { throw ArithmeticException() }
      }

      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun keyIsFreeAtOnceAfterACollectionThatEndsEarly() =
    virtually { v ->
      val endless =
        flow {
          while (true) {
            emit(1)
          }
        }

      assertThat(endless.withLock(v.locker, "a", TTL).first()).isEqualTo(1)
      assertThat(v.isFree("a")).isTrue()
      assertThat(endless.withLock(v.locker, "a", TTL).take(2).toList()).hasSize(2)
      assertThat(v.isFree("a")).isTrue()
      assertThat(endless.take(2).withLock(v.locker, "a", TTL).toList()).hasSize(2)
      assertThat(v.isFree("a")).isTrue()
      assertThat(emptyFlow<Int>().withLock(v.locker, "a", TTL).toList()).isEmpty()
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun cancelledCollectionWaitsForTheUpstream() =
    virtually { v ->
      val stubborn = flow<Int> { withContext(NonCancellable) { delay(1.minutes) } }
      val collection = launch { stubborn.withLock(v.locker, "a", TTL).collect() }
      delay(1.seconds)

      collection.cancel()
      delay(58.seconds)
      assertThat(v.other.tryAcquire("a", TTL)).isNull()
      collection.join()

      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun lossCancelsTheUpstreamAndIsThrown() =
    virtually { v ->
      val loss =
        assertFailsWith<LockLostException> {
          flow<Int> {
            v.forceRelease("a")
            awaitCancellation()
          }.withLock(v.locker, "a", TTL).collect()
        }

      assertThat(loss.suppressed).isEmpty()
    }

  @Test
  fun lossCancelsTheCollectorThatWorksOnAnElement() =
    virtually { v ->
      assertFailsWith<LockLostException> {
        flowOf(1).withLock(v.locker, "a", TTL).collect {
          v.forceRelease("a")
          awaitCancellation()
        }
      }
    }

  @Test
  fun elementPastTheDeadlineIsNotPassedOn() =
    virtually { v ->
      val seen = mutableListOf<Int>()

      val loss =
        assertFailsWith<LockLostException> {
          flow {
            emit(1)
            v.time.pause(TTL)
            emit(2)
          }.withLock(v.locker, "a", TTL).onEach { seen += it }.collect()
        }

      assertThat(seen).containsExactly(1)
      assertThat(loss.suppressed).isEmpty()
    }

  @Test
  fun completionPastTheDeadlineIsALoss() =
    virtually { v ->
      assertFailsWith<LockLostException> {
        flow<Int> { v.time.pause(TTL) }.withLock(v.locker, "a", TTL).collect()
      }
    }

  @Test
  fun upstreamIsNotCollectedWithoutTheLock() =
    virtually { v ->
      v.other.acquire("a", 1.hours)

      assertFailsWith<LockNotAcquiredException> {
        flow<Int> { fail("collected") }.withLock(v.locker, "a", TTL).collect()
      }
    }

  @Test
  fun badInputFailsWhenTheFlowIsMade() =
    virtually { v ->
      val upstream: Flow<Int> = flowOf(1)

      assertFailsWith<IllegalArgumentException> { upstream.withLock(v.locker, "", TTL) }
      assertFailsWith<IllegalArgumentException> { upstream.withLock(v.locker, emptyList(), TTL) }
      assertFailsWith<IllegalArgumentException> { upstream.withLock(v.locker, "a", -TTL) }
    }
}
