// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockLostException
import io.monolock.LockLostException.Reason
import io.monolock.LockerClosedException
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import kotlin.test.assertFailsWith
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

@DisplayName("G5: a block is cancelled when its lock is lost")
class BlockLossTest {
  @Test
  fun lossCancelsTheBlockAndItsChildrenAndIsThrown() =
    virtually { v ->
      val cancelled = mutableListOf<String>()

      val loss =
        assertFailsWith<LockLostException> {
          v.locker.withLock("a", TTL) {
            launch { recording(cancelled, "child") }
            v.forceRelease("a")
            recording(cancelled, "block")
          }
        }

      assertThat(loss.reason()).isEqualTo(Reason.TAKEN)
      assertThat(loss.suppressed).isEmpty()
      assertThat(cancelled).containsExactlyInAnyOrder("child", "block")
      assertThat(v.time.passed()).isLessThan(TTL)
    }

  private suspend fun recording(
    cancelled: MutableList<String>,
    name: String,
  ) {
    try {
      awaitCancellation()
    } catch (e: CancellationException) {
      assertThat(e.cause ?: e).isNotNull()
      cancelled += name
      throw e
    }
  }

  @Test
  fun blockThatIgnoresItsCancellationIsJoined() =
    virtually { v ->
      val loss =
        assertFailsWith<LockLostException> {
          v.locker.withLock("a", TTL) {
            v.forceRelease("a")
            withContext(NonCancellable) { delay(1.minutes) }
          }
        }

      assertThat(loss.reason()).isEqualTo(Reason.TAKEN)
      assertThat(v.time.passed()).isEqualTo(1.minutes)
    }

  @Test
  fun valueOfABlockThatWasCancelledIsALoss() =
    virtually { v ->
      assertFailsWith<LockLostException> {
        v.locker.withLock<String>("a", TTL) {
          v.forceRelease("a")
          try {
            awaitCancellation()
          } catch (_: CancellationException) {
            "done"
          }
        }
      }
    }

  @Test
  fun valuePastTheDeadlineIsALossThoughNoTimerHasFired() =
    virtually { v ->
      val loss =
        assertFailsWith<LockLostException> {
          v.locker.withLock<String>("a", options { autoRefresh = false }) {
            v.time.pause(TTL)
            "late"
          }
        }

      assertThat(loss.reason()).isEqualTo(Reason.EXPIRED)
    }

  @Test
  fun ownFailurePastTheDeadlineStaysWithTheLossSuppressed() =
    virtually { v ->
      val failure =
        assertFailsWith<ArithmeticException> {
          v.locker.withLock("a", TTL) {
            v.time.pause(TTL)
            throw ArithmeticException()
          }
        }

      assertThat(failure.suppressed).singleElement().isInstanceOf(LockLostException::class.java)
    }

  @Test
  fun ownFailureOfACancelledBlockStaysWithTheLossSuppressed() =
    virtually { v ->
      val failure =
        assertFailsWith<ArithmeticException> {
          v.locker.withLock("a", TTL) {
            v.forceRelease("a")
            try {
              awaitCancellation()
            } finally {
              throw ArithmeticException()
            }
          }
        }

      assertThat(failure.suppressed).hasAtLeastOneElementOfType(LockLostException::class.java)
    }

  @Test
  fun lossIsThrownAtTheDeadlineThoughTheStoreIsSilent() =
    virtually { v ->
      v.store.onExtend = { Mono.never<Any>() }
      v.store.onRelease = { Mono.never<Any>() }

      val loss =
        assertFailsWith<LockLostException> { v.locker.withLock("a", TTL) { awaitCancellation() } }

      assertThat(loss.reason()).isEqualTo(Reason.UNREACHABLE)
      assertThat(v.time.passed()).isLessThanOrEqualTo(TTL)
    }

  @Test
  fun lossBeforeTheBlockReleasesIsALoss() =
    virtually { v ->
      assertFailsWith<LockLostException> {
        v.locker.withLock("a", TTL) { lock ->
          v.forceRelease("a")
          withContext(NonCancellable) {
            delay(TTL)
            lock.releaseAndJoin()
          }
        }
      }
    }

  @Test
  fun lossIsNoCancellationOfTheCaller() =
    virtually { v ->
      supervisorScope {
        val caller =
          async {
            v.locker.withLock("a", TTL) {
              v.forceRelease("a")
              awaitCancellation()
            }
          }

        assertFailsWith<LockLostException> { caller.await() }
      }
    }

  @Test
  fun cancelledCallerStaysCancelledThoughTheLockIsLostMeanwhile() =
    virtually { v ->
      val caller =
        launch {
          v.locker.withLock("a", TTL) { withContext(NonCancellable) { delay(1.minutes) } }
        }
      delay(1.seconds)

      caller.cancel()
      v.forceRelease("a")
      caller.join()

      assertThat(v.time.passed()).isEqualTo(1.minutes)
      assertThat(caller.isCancelled).isTrue()
    }

  @Test
  fun anothersLockIsNotTouchedAfterALoss() =
    virtually { v ->
      assertFailsWith<LockLostException> {
        v.locker.withLock("a", TTL) {
          v.forceRelease("a")
          v.other.acquire("a", 1.hours)
          awaitCancellation()
        }
      }

      assertThat(v.isFree("a")).isFalse()
    }

  @Test
  @DisplayName(
    "G8: close() cancels the block, which is joined, and fails because the locker is closed",
  )
  fun closeCancelsTheBlock() =
    virtually { v ->
      for (finishing in listOf(false, true)) {
        val locker = TestScopeLocker(this).locker
        val start = v.time.passed()
        launch {
          delay(1.seconds)
          locker.reactive.close().awaitSingleOrNull()
        }

        val closed =
          assertFailsWith<LockerClosedException> {
            locker.withLock("a", options { finishOnCancel = finishing }) {
              try {
                awaitCancellation()
              } finally {
                withContext(NonCancellable) { delay(1.minutes) }
              }
            }
          }

        assertThat(closed.keys()).containsExactly("a")
        assertThat(v.time.passed() - start).isEqualTo(1.seconds + 1.minutes)
      }
    }

  @Test
  @DisplayName("G8: close() ends a caller that waits")
  fun closeEndsAWaitingCaller() =
    virtually { v ->
      v.other.acquire("a", 1.hours)
      launch {
        delay(1.seconds)
        v.locker.reactive
          .close()
          .awaitSingleOrNull()
      }

      assertFailsWith<LockerClosedException> { v.locker.withLock("a", TTL) { } }

      assertThat(v.time.passed()).isEqualTo(1.seconds)
    }
}
