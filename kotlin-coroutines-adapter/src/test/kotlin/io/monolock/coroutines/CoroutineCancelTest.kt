// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockLostException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.withTimeoutOrNull
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import reactor.core.publisher.Sinks
import kotlin.test.assertFailsWith
import kotlin.test.fail
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

@DisplayName("G4: a cancelled caller leaves nothing behind")
class CoroutineCancelTest {
  @Test
  fun cancelledWhileItWaitsNothingIsTaken() =
    virtually { v ->
      val holder = v.other.acquire("a", 1.hours)
      val waiter = launch { v.locker.withLock("a", TTL) { fail("the block ran") } }
      delay(1.seconds)

      waiter.cancel()
      waiter.join()
      val asked = v.store.calls
      delay(5.seconds)
      assertThat(v.store.calls).isEqualTo(asked)
      holder.releaseAndJoin()
      delay(1.seconds)

      assertThat(v.time.passed()).isEqualTo(7.seconds)
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun cancelledWhileTheStoreIsAskedTheKeyIsFreed() =
    virtually { v ->
      val letThrough = Sinks.empty<Any>()
      v.store.onAcquire = { call -> call.delayUntil { letThrough.asMono() } }
      val caller = launch { v.locker.withLock("a", TTL) { fail("the block ran") } }
      delay(1.milliseconds)
      assertThat(v.isFree("a")).isFalse()

      caller.cancel()
      caller.join()
      letThrough.tryEmitEmpty()
      delay(1.milliseconds)

      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun cancelledBeforeItStartsNothingIsSent() =
    virtually { v ->
      val caller =
        launch {
          coroutineContext.cancelJob()
          v.locker.withLock("a", TTL) { fail("the block ran") }
        }

      caller.join()

      assertThat(v.store.calls).isZero()
    }

  @Test
  fun cancelledWhileTheBlockRunsTheBlockIsCancelledAndTheKeyFree() =
    virtually { v ->
      var cancelled = false
      val caller =
        launch {
          v.locker.withLock("a", TTL) {
            try {
              awaitCancellation()
            } catch (e: CancellationException) {
              cancelled = true
              throw e
            }
          }
        }
      delay(1.seconds)

      caller.cancel()
      caller.join()

      assertThat(cancelled).isTrue()
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  @DisplayName("B31: a cancelled caller waits for its block, whose lock is refreshed meanwhile")
  fun lockIsKeptUntilTheBlockHasReallyEnded() =
    virtually { v ->
      var running = true
      val caller =
        launch {
          v.locker.withLock("a", TTL) {
            withContext(NonCancellable) { delay(5.minutes) }
            running = false
          }
        }
      val next =
        launch {
          v.other.withLock(
            "a",
            options =
              options {
                waitAtMost = 1.hours
              },
          ) { assertThat(running).isFalse() }
        }
      delay(1.seconds)

      caller.cancel()
      delay(4.minutes)
      assertThat(running).isTrue()
      assertThat(caller.isCompleted).isFalse()
      assertThat(v.other.tryAcquire("a", TTL)).isNull()
      caller.join()
      next.join()

      assertThat(v.time.passed()).isGreaterThanOrEqualTo(5.minutes)
      assertThat(next.isCancelled).isFalse()
    }

  @Test
  fun childrenThatIgnoreTheirCancellationAreJoinedBeforeTheRelease() =
    virtually { v ->
      val caller =
        launch {
          v.locker.withLock("a", TTL) {
            launch {
              try {
                awaitCancellation()
              } finally {
                withContext(NonCancellable) { delay(1.minutes) }
              }
            }
          }
        }
      delay(1.seconds)

      caller.cancel()
      delay(1.minutes - 1.milliseconds)
      assertThat(v.other.tryAcquire("a", TTL)).isNull()
      caller.join()

      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  @DisplayName("B30: a release cannot be cancelled, and the caller gets the value")
  fun cancelledDuringTheReleaseTheKeyIsFreedAndTheValueStays() =
    virtually { v ->
      v.store.onRelease =
        { call -> Mono.delay(java.time.Duration.ofMillis(500), v.time).then(call) }
      var value: String? = null
      val caller = launch { value = v.locker.withLock("a", TTL) { "done" } }
      delay(1.milliseconds)
      assertThat(v.isFree("a")).isFalse()

      caller.cancel()
      caller.join()

      assertThat(v.isFree("a")).isTrue()
      assertThat(value).isEqualTo("done")
    }

  @Test
  @DisplayName("B30: a lock in the hand can be released by a cancelled coroutine")
  fun releaseAndJoinWorksInACancelledCoroutine() =
    virtually { v ->
      var released: Boolean? = null
      val caller =
        launch {
          val lock = v.locker.acquire("a", TTL)
          try {
            awaitCancellation()
          } finally {
            released = lock.releaseAndJoin()
          }
        }
      delay(1.seconds)

      caller.cancel()
      caller.join()

      assertThat(released).isTrue()
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun timeoutAroundALockIsATimeoutAndTheKeyIsFree() =
    virtually { v ->
      assertFailsWith<TimeoutCancellationException> {
        withTimeout(1.seconds) { v.locker.withLock("a", TTL) { awaitCancellation() } }
      }
      assertThat(
        withTimeoutOrNull(1.seconds) { v.locker.withLock("a", TTL) { delay(1.hours) } },
      ).isNull()

      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun timeoutInsideABlockIsItsOwnFailure() =
    virtually { v ->
      assertFailsWith<TimeoutCancellationException> {
        v.locker.withLock("a", TTL) { withTimeout(1.seconds) { delay(1.hours) } }
      }

      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  @DisplayName(
    "B31: with finishOnCancel a cancelled block runs to its end, its value is dropped",
  )
  fun blockThatIsToFinishRunsToItsEnd() =
    virtually { v ->
      var done = false
      var value: Any? = null
      val caller =
        launch {
          value =
            v.locker.withLock("a", options { finishOnCancel = true }) {
              launch { delay(1.minutes) }
              delay(2.minutes)
              done = true
            }
        }
      delay(1.seconds)

      caller.cancel()
      delay(2.minutes - 2.seconds)
      assertThat(v.other.tryAcquire("a", TTL)).isNull()
      caller.join()

      assertThat(done).isTrue()
      assertThat(value).isNull()
      assertThat(v.time.passed()).isEqualTo(2.minutes)
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun blockThatIsToFinishDoesNotBeginAfterCancel() =
    virtually { v ->
      val holder = v.other.acquire("a", 1.hours)
      val caller =
        launch {
          v.locker.withLock(
            "a",
            options { finishOnCancel = true },
          ) { fail("the block ran") }
        }
      delay(1.seconds)

      caller.cancel()
      holder.releaseAndJoin()
      caller.join()
      delay(1.milliseconds)

      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun lossCancelsABlockThatIsToFinish() =
    virtually { v ->
      val caller =
        launch {
          v.locker.withLock(
            "a",
            options { finishOnCancel = true },
          ) { awaitCancellation() }
        }
      delay(1.seconds)

      caller.cancel()
      v.forceRelease("a")
      caller.join()

      assertThat(v.time.passed()).isLessThan(TTL)
      assertFailsWith<LockLostException> {
        v.locker.withLock("b", options { finishOnCancel = true }) {
          v.forceRelease("b")
          awaitCancellation()
        }
      }
    }

  private fun kotlin.coroutines.CoroutineContext.cancelJob() =
    this[kotlinx.coroutines.Job]!!.cancel()
}
