// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockLostException
import io.monolock.LockStoreException
import io.monolock.LockerClosedException
import io.monolock.ReactiveLocker
import io.monolock.store.StoreFailure
import io.monolock.store.StoreProblem
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.delay
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import kotlin.test.assertFailsWith
import kotlin.test.fail
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toKotlinDuration

class SuspendingLockerTest {
  @Test
  fun withoutOptionsTheDefaultsOfTheLockerCount() =
    virtually { v ->
      val locker = lockerWithDefaults(v)

      locker.withLock("a") { lock -> assertHasDefaults(lock) }
      locker.tryWithLock("a") { lock -> assertHasDefaults(lock) }
      locker.mutex("a").withLock { lock -> assertHasDefaults(lock) }
      assertHasDefaults(locker.acquire("a"))
      assertHasDefaults(locker.tryAcquire("b")!!)
      assertThat(locker.acquire("c") { metadata = "m" }.metadata()).isEqualTo("m")
    }

  private fun lockerWithDefaults(v: TestScopeLocker): SuspendingLocker =
    ReactiveLocker
      .builder(v.store.store)
      .timer(v.time)
      .publishOn(v.time)
      .defaults(lockOptions(1.hours) { fenced = true })
      .build()
      .suspending()

  private fun assertHasDefaults(lock: Lock) {
    assertThat(lock.fencingToken()).isPresent()
    assertThat(lock.remaining().toKotlinDuration()).isGreaterThan(50.minutes)
  }

  @Test
  fun tryWithLockGivesTheValueOfTheBlockAndFreesTheKey() =
    virtually { v ->
      val value =
        v.locker.tryWithLock("a") {
          assertThat(v.isFree("a")).isFalse()
          "done"
        }

      assertThat(value).isEqualTo("done")
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun tryWithLockIsNullAtOnceWhenAnotherHolderHasAKey() =
    virtually { v ->
      v.other.acquire("a", 1.hours)
      val patient = options { waitAtMost = 1.hours }

      val values =
        listOf<Any?>(
          v.locker.tryWithLock("a") { fail("the block ran") },
          v.locker.tryWithLock("a", patient) { fail("the block ran") },
          v.locker.tryWithLock(listOf("b", "a"), TTL) { fail("the block ran") },
          v.locker.mutex("a", patient).tryWithLock { fail("the block ran") },
        )

      assertThat(values).hasSize(4).containsOnlyNulls()
      assertThat(v.time.passed()).isEqualTo(Duration.ZERO)
      assertThat(v.isFree("b")).isTrue()
    }

  @Test
  fun lockIsRefreshedWhileABlockRunsThatHadItAtOnce() =
    virtually { v ->
      val block = launch { v.locker.tryWithLock("a", TTL) { delay(5.minutes) } }

      delay(5.minutes - 1.seconds)
      assertThat(v.other.tryAcquire("a", TTL)).isNull()
      block.join()

      assertThat(block.isCancelled).isFalse()
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  @DisplayName("G4: a cancelled caller waits for a block that had its lock at once")
  fun cancelledTryWithLockKeepsTheLockUntilTheBlockHasEnded() =
    virtually { v ->
      val caller =
        launch {
          v.locker.tryWithLock("a", TTL) { withContext(NonCancellable) { delay(1.minutes) } }
        }
      delay(1.seconds)

      caller.cancel()
      delay(58.seconds)
      assertThat(v.other.tryAcquire("a", TTL)).isNull()
      caller.join()

      assertThat(v.time.passed()).isEqualTo(1.minutes)
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  @DisplayName("G5: a loss cancels a block that had its lock at once, and is thrown, not null")
  fun lossIsThrownByTryWithLock() =
    virtually { v ->
      assertFailsWith<LockLostException> {
        v.locker.tryWithLock("a", TTL) {
          v.forceRelease("a")
          awaitCancellation()
        }
      }
    }

  @Test
  fun troubleIsThrownByTryWithLock() =
    virtually { v ->
      v.store.onAcquire =
        { Mono.error<Any>(StoreFailure(StoreProblem.Reason.UNAVAILABLE, true, "no", null)) }
      assertFailsWith<LockStoreException> { v.locker.tryWithLock("a") { } }
      v.locker.reactive
        .close()
        .awaitSingleOrNull()
      assertFailsWith<LockerClosedException> { v.locker.tryWithLock("a") { } }
    }

  @Test
  fun blocksOfMutexesOfTheSameKeyExcludeEachOther() =
    virtually { v ->
      val mutexes = listOf(v.locker.mutex("a", TTL), v.locker.mutex("a", TTL), v.other.mutex("a"))
      var inside = 0
      val jobs =
        mutexes.map { mutex ->
          launch {
            repeat(3) {
              mutex.withLock {
                assertThat(++inside).isEqualTo(1)
                delay(100.milliseconds)
                inside--
              }
            }
          }
        }

      jobs.forEach { it.join() }

      assertThat(jobs).noneMatch { it.isCancelled }
      assertThat(v.time.passed()).isGreaterThanOrEqualTo(900.milliseconds)
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun mutexOfSeveralKeysTakesThemTogether() =
    virtually { v ->
      val keys = v.locker.mutex(listOf("b", "a")).withLock { it.keys() }
      val attempt = v.locker.mutex(listOf("b", "a"), TTL).tryWithLock { it.keys() }

      assertThat(keys).containsExactly("a", "b").isEqualTo(attempt)
      assertThat(v.isFree("a") && v.isFree("b")).isTrue()
    }

  @Test
  fun mutexOfABadKeyIsRefusedWhenItIsMade() =
    virtually { v ->
      assertFailsWith<IllegalArgumentException> { v.locker.mutex("") }
      assertFailsWith<IllegalArgumentException> { v.locker.mutex(emptyList()) }
      assertFailsWith<IllegalArgumentException> { v.locker.mutex("a", Duration.ZERO) }
      assertThat(v.store.calls).isZero()
    }
}
