// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockNotAcquiredException
import io.monolock.LockStoreException
import io.monolock.LockerClosedException
import io.monolock.ReactiveLocker
import io.monolock.memory.InMemoryLockStore
import io.monolock.store.StoreFailure
import io.monolock.store.StoreProblem
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.MethodSource
import reactor.core.publisher.Mono
import kotlin.coroutines.coroutineContext
import kotlin.test.assertFailsWith
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.measureTime
import kotlin.time.toJavaDuration

class WithLockTest {
  @Test
  fun valueOfTheBlockIsTheResultAndTheKeyIsFree() =
    virtually { v ->
      val value =
        v.locker.withLock("a", TTL) { lock ->
          assertThat(lock.isValid).isTrue()
          assertThat(v.isFree("a")).isFalse()
          "done"
        }

      assertThat(value).isEqualTo("done")
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun failureOfTheBlockIsTheResultAndTheKeyIsFree() =
    virtually { v ->
      val own = Exception("own")

      val failure = assertFailsWith<Exception> { v.locker.withLock("a", TTL) { throw own } }

      assertThat(failure.original()).isSameAs(own)
      assertThat(failure.suppressed).isEmpty()
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun severalKeysAreTakenTogether() =
    virtually { v ->
      v.locker.withLock(listOf("b", "a"), TTL) { lock ->
        assertThat(lock.keys()).containsExactly("a", "b")
        assertThat(v.isFree("a") || v.isFree("b")).isFalse()
      }

      assertThat(v.isFree("a") && v.isFree("b")).isTrue()
    }

  @Test
  fun ttlReplacesThatOfTheDefaultsAndNothingElse() =
    virtually { v ->
      val locker =
        ReactiveLocker
          .builder(v.store.store)
          .timer(v.time)
          .publishOn(v.time)
          .defaults(lockOptions(1.hours) { fenced = true })
          .build()
          .suspending()

      locker.withLock("a", TTL) { lock ->
        assertThat(lock.fencingToken()).isPresent()
        assertThat(lock.remaining()).isLessThan(TTL.toJavaDuration())
      }
      locker.tryWithLock("a", TTL) { lock ->
        assertThat(lock.fencingToken()).isPresent()
        assertThat(lock.remaining()).isLessThan(TTL.toJavaDuration())
      }
      assertThat(locker.acquire("b", TTL).fencingToken()).isPresent()
      assertThat(locker.tryAcquire("c", TTL) { metadata = "m" }?.metadata()).isEqualTo("m")
    }

  @Test
  fun lockIsRefreshedWhileTheBlockRuns() =
    virtually { v ->
      val block = launch { v.locker.withLock("a", TTL) { delay(5.minutes) } }

      delay(5.minutes - 1.seconds)
      assertThat(v.other.tryAcquire("a", TTL)).isNull()
      block.join()

      assertThat(block.isCancelled).isFalse()
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun childrenAreJoinedBeforeTheRelease() =
    virtually { v ->
      val block = launch { v.locker.withLock("a", TTL) { launch { delay(1.minutes) } } }

      delay(59.seconds)
      assertThat(v.other.tryAcquire("a", TTL)).isNull()
      block.join()

      assertThat(v.time.passed()).isGreaterThanOrEqualTo(1.minutes)
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun failureOfAChildIsTheResultAndTheKeyIsFree() =
    virtually { v ->
      assertFailsWith<ArithmeticException> {
        v.locker.withLock("a", TTL) {
          launch { throw ArithmeticException() }
          delay(1.hours)
        }
      }

      assertThat(v.time.passed()).isEqualTo(Duration.ZERO)
      assertThat(v.isFree("a")).isTrue()
    }

  @ParameterizedTest
  @MethodSource("fatal")
  @DisplayName("B124: a fatal error in the block arrives, and the key is free")
  fun fatalErrorFreesTheKey(fatal: Throwable) =
    virtually { v ->
      val failure = assertFailsWith<Throwable> { v.locker.withLock("a", TTL) { throw fatal } }
      val later =
        assertFailsWith<Throwable> {
          v.locker.withLock("b", TTL) {
            delay(1.seconds)
            throw fatal
          }
        }

      assertThat(failure.original()).isSameAs(fatal)
      assertThat(later.original()).isSameAs(fatal)
      assertThat(v.isFree("a") && v.isFree("b")).isTrue()
    }

  @Test
  fun blockMayReleaseItsLockAndGoOn() =
    virtually { v ->
      val value =
        v.locker.withLock("a", TTL) { lock ->
          assertThat(lock.releaseAndJoin()).isTrue()
          assertThat(v.isFree("a")).isTrue()
          delay(1.minutes)
          "done"
        }

      assertThat(value).isEqualTo("done")
    }

  @Test
  fun lockOfTheBlockCanBeExtended() =
    virtually { v ->
      v.locker.withLock("a", options { autoRefresh = false }) { lock ->
        lock.extend(1.minutes)
        delay(59.seconds)
        assertThat(lock.isValid).isTrue()
      }
    }

  @Test
  fun lockIsInTheContextOfTheBlockAndOfItsChildren() =
    virtually { v ->
      v.locker.withLock("a", TTL) { outer ->
        assertThat(coroutineContext[HeldLock]?.lock).isSameAs(outer)
        launch { assertThat(coroutineContext[HeldLock]?.lock).isSameAs(outer) }
        v.locker.withLock("b", TTL) { inner ->
          assertThat(coroutineContext[HeldLock]?.lock).isSameAs(inner)
        }
        assertThat(coroutineContext[HeldLock]?.lock).isSameAs(outer)
      }

      assertThat(coroutineContext[HeldLock]).isNull()
    }

  @Test
  fun tokenOfTheLockIsNotPrintedWhole() =
    virtually { v ->
      v.locker.withLock("a", TTL) { lock ->
        assertThat(lock.toString()).contains("[a]").doesNotContain(lock.token())
        assertThat(coroutineContext.toString()).contains("[a]").doesNotContain(lock.token())
      }
    }

  @Test
  @DisplayName("busy, broken and closed arrive as themselves")
  fun errorsArriveAsThemselves() =
    virtually { v ->
      val trouble = StoreFailure(StoreProblem.Reason.PERMISSION, false, "no", null)
      v.other.acquire("a", 1.hours)

      val busy = assertFailsWith<LockNotAcquiredException> { v.locker.withLock("a", TTL) { } }
      v.store.onAcquire = { Mono.error<Any>(trouble) }
      val broken = assertFailsWith<LockStoreException> { v.locker.withLock("b", TTL) { } }
      v.locker.reactive
        .close()
        .awaitSingleOrNull()
      val closed = assertFailsWith<LockerClosedException> { v.locker.withLock("c", TTL) { } }

      assertThat(busy.waited().toSeconds()).isEqualTo(10)
      assertThat(busy.cause).isNull()
      assertThat(broken.reason()).isEqualTo(StoreProblem.Reason.PERMISSION)
      assertThat(broken.cause).isSameAs(trouble)
      assertThat(closed.keys()).containsExactly("c")
      assertThat(closed.cause).isNull()
    }

  @Test
  fun badInputFailsBeforeAnythingIsSent() =
    virtually { v ->
      val bad: List<suspend () -> Unit> =
        listOf(
          { v.locker.withLock("", TTL) { } },
          { v.locker.withLock(emptyList(), TTL) { } },
          { v.locker.withLock("a", Duration.ZERO) { } },
          { v.locker.withLock("a", -TTL) { } },
          { v.locker.withLock("a", Duration.INFINITE) { } },
          { v.locker.acquire("a", TTL) { maxHold = Duration.ZERO } },
          { v.locker.tryAcquire(listOf("a", ""), TTL) },
        )

      bad.forEach { assertFailsWith<IllegalArgumentException> { it() } }

      assertThat(v.store.calls).isZero()
    }

  @ParameterizedTest
  @MethodSource("releaseTrouble")
  @DisplayName("G6 B125: trouble of the release neither replaces the value nor delays it for long")
  fun releaseTroubleLeavesTheValue(trouble: Mono<*>) {
    val store = TroubledStore(InMemoryLockStore.create())
    store.onRelease = { trouble }
    val locker =
      ReactiveLocker
        .builder(store)
        .commandTimeout(1.hours.toJavaDuration())
        .closeTimeout(java.time.Duration.ZERO)
        .build()
        .suspending()

    val time =
      measureTime {
        assertThat(
          runBlocking { locker.withLock("a", TTL) { "done" } },
        ).isEqualTo("done")
      }

    assertThat(time).isLessThan(30.seconds)
    locker.reactive.close().subscribe({}, { throw AssertionError(it) })
  }

  companion object {
    @JvmStatic
    fun fatal(): List<Throwable> =
      listOf(NoClassDefFoundError("x"), StackOverflowError("x"), OutOfMemoryError("x"))

    @JvmStatic
    fun releaseTrouble(): List<Mono<*>> =
      listOf(
        Mono.error<Any>(StoreFailure(StoreProblem.Reason.PERMISSION, false, "no", null)),
        Mono.error<Any>(StoreFailure(StoreProblem.Reason.UNAVAILABLE, true, "no", null)),
        Mono.just(false),
        Mono.never<Any>(),
      )
  }
}
