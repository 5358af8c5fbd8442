// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockLostException
import io.monolock.reactor.CurrentLock
import io.monolock.reactor.LockOperators
import io.monolock.reactor.ReentrantLocker
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.DisplayName
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import kotlin.test.assertFailsWith
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** A lock that was taken by coroutines is held for Reactor's operators, and the other way round. */
class MeetingReactorTest {
  @Test
  fun currentLockIsThatOfTheBlock() =
    virtually { v ->
      v.locker.withLock("a") { outer ->
        assertThat(CurrentLock.require("a").awaitSingle()).isSameAs(outer)
        v.locker.withLock("b") { inner ->
          assertThat(CurrentLock.get().awaitSingle()).isSameAs(inner)
          assertThat(CurrentLock.require("a").awaitSingle()).isSameAs(outer)
          assertThat(HeldLock.current()).isSameAs(inner)
          assertThat(HeldLock.require("a")).isSameAs(outer)
        }
        launch { assertThat(CurrentLock.get().awaitSingle()).isSameAs(outer) }
      }

      assertThat(HeldLock.current()).isNull()
      assertFailsWith<IllegalStateException> { CurrentLock.require("a").awaitSingle() }
    }

  @Test
  fun currentLockIsThatOfAFlow() =
    virtually { v ->
      val keys = flow { emit(CurrentLock.require("a").awaitSingle().keys()) }

      assertThat(keys.withLock(v.locker, "a").single()).containsExactly("a")
    }

  @Test
  fun heldLockIsThatOfAnOperator() =
    virtually { v ->
      val found =
        mono { HeldLock.require("a") to HeldLock.current() }
          .transformDeferred(LockOperators.locked(v.locker.reactive, "a", options()))

      val (required, current) = found.awaitSingle()

      assertThat(required).isSameAs(current)
      assertThat(required.keys()).containsExactly("a")
    }

  @Test
  fun heldLockIsTheInnermostOfBothKinds() =
    virtually { v ->
      val reentrant = ReentrantLocker.wrap(v.locker.reactive)
      v.locker.withLock("a") { outer ->
        val inner: Lock =
          reentrant
            .withLock("b", options()) { lock ->
              mono {
                assertThat(HeldLock.current()).isSameAs(lock)
                assertThat(HeldLock.require("a")).isSameAs(outer)
                v.locker.withLock("c") { assertThat(HeldLock.current()).isSameAs(it) }
                lock
              }
            }.awaitSingle()
        assertThat(inner.keys()).containsExactly("b")
        assertThat(HeldLock.current()).isSameAs(outer)
      }
    }

  @Test
  fun lockThatATestHasPutInIsFound() =
    virtually { v ->
      val lock = v.locker.acquire("a")

      withContext(HeldLock(lock)) {
        assertThat(HeldLock.current()).isSameAs(lock)
        assertThat(HeldLock.require("a")).isSameAs(lock)
        assertFailsWith<IllegalStateException> { HeldLock.require("b") }
      }
      assertFailsWith<IllegalArgumentException> { HeldLock.require("") }
    }

  @Test
  fun lostLockIsNotHeld() =
    virtually { v ->
      v.locker.withLock("a") { lock ->
        lock.releaseAndJoin()

        assertFailsWith<LockLostException> { HeldLock.require("a") }
        assertThat(HeldLock.current()).isSameAs(lock)
      }
    }

  @Test
  fun reentrantLockerLetsABlockIn() =
    virtually { v ->
      val reentrant = ReentrantLocker.wrap(v.locker.reactive)
      v.locker.withLock("a") {
        val calls = v.store.calls
        val value =
          reentrant.withLock("a", options()) { Mono.just("inside") }.awaitSingle()

        assertThat(value).isEqualTo("inside")
        assertThat(v.store.calls).isEqualTo(calls)
        assertThat(v.isFree("a")).isFalse()
      }
      assertThat(v.time.passed()).isEqualTo(Duration.ZERO)
    }

  @Test
  @DisplayName("re-entrancy for coroutines: what a block holds it may take again")
  fun blockEntersAgainWhatItHolds() =
    virtually { v ->
      val locker = ReentrantLocker.wrap(v.locker.reactive).suspending()
      locker.withLock("a") {
        val calls = v.store.calls
        val values: List<Any?> =
          listOf(
            locker.withLock("a") { locker.withLock("a", TTL) { "twice" } },
            locker.tryWithLock("a") { "at once" },
            locker.mutex("a").withLock { "mutex" },
            locker.acquire("a").releaseAndJoin(),
            locker.tryAcquire("a")?.releaseAndJoin(),
          )
        launch { locker.withLock("a") { assertThat(v.isFree("a")).isFalse() } }.join()

        assertThat(values).containsExactly("twice", "at once", "mutex", true, true)
        assertThat(v.store.calls).isEqualTo(calls)
        assertThat(v.isFree("a")).isFalse()
      }
      assertThat(v.time.passed()).isEqualTo(Duration.ZERO)
      assertThat(v.isFree("a")).isTrue()
    }

  @Test
  fun aCoroutineOutsideOfTheBlockDoesNotEnter() =
    virtually { v ->
      val locker = ReentrantLocker.wrap(v.locker.reactive).suspending()
      val holder = launch { locker.withLock("a") { delay(1.minutes) } }
      delay(1.seconds)

      assertThat(locker.tryWithLock("a") { }).isNull()
      holder.join()
    }

  @Test
  fun missingKeysAreTakenAndFreedWithTheInnerBlock() =
    virtually { v ->
      val locker = ReentrantLocker.wrap(v.locker.reactive).suspending()
      locker.withLock("a") {
        locker.withLock(listOf("a", "b")) { lock ->
          assertThat(lock.keys()).containsExactly("a", "b")
          assertThat(v.isFree("b")).isFalse()
        }
        assertThat(v.isFree("b")).isTrue()
        assertThat(v.isFree("a")).isFalse()
      }
    }

  @Test
  fun innerBlockMayReleaseItsHandleAndTheOuterLockStays() =
    virtually { v ->
      val locker = ReentrantLocker.wrap(v.locker.reactive).suspending()
      locker.withLock("a") { outer ->
        val value =
          locker.withLock("a") { inner ->
            inner.releaseAndJoin()
            "goes on"
          }

        assertThat(value).isEqualTo("goes on")
        assertThat(outer.isValid).isTrue()
        assertThat(v.isFree("a")).isFalse()
      }
    }

  @Test
  @DisplayName("G5: an inner block is cancelled when the outer lock is lost")
  fun lossOfTheOuterLockCancelsTheInnerBlock() =
    virtually { v ->
      val locker = ReentrantLocker.wrap(v.locker.reactive).suspending()
      var ended = false
      assertFailsWith<LockLostException> {
        locker.withLock("a", TTL) {
          locker.withLock("a") {
            v.forceRelease("a")
            try {
              delay(1.minutes)
            } finally {
              ended = true
            }
          }
        }
      }

      assertThat(ended).isTrue()
      assertThat(v.time.passed()).isLessThan(TTL)
    }

  @Test
  fun reactorContextOfTheCallerIsKept() =
    virtually { v ->
      val caller =
        reactor.util.context.Context
          .of("user", "Ada")
      withContext(ReactorContext(caller)) {
        v.locker.withLock("a") {
          val user = Mono.deferContextual { Mono.just(it.get<String>("user")) }.awaitSingle()
          assertThat(user).isEqualTo("Ada")
        }
      }
    }
}
