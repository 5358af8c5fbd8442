// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.reactor.awaitSingle
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.toJavaDuration

/**
 * Which call is which: the methods of [ReactiveLocker] win over functions that are added to it
 * wherever both fit. The types that are written out here make the compiler check that; what it has
 * to refuse is in [RefusedCallsTest].
 */
class ResolutionTest {
  private val javaTtl = TTL.toJavaDuration()
  private val keys = listOf("a", "b")
  private val options = options()

  @Test
  fun everythingOfASuspendingLockerSuspends() =
    virtually { v ->
      val locker: SuspendingLocker = v.locker
      val values: List<String> =
        listOf(
          locker.withLock("a") { work() },
          locker.withLock("a") { lock -> inScope(lock) },
          locker.withLock("a", TTL) { work() },
          locker.withLock("a", options) { lock -> work(lock) },
          locker.withLock(keys) { work() },
          locker.withLock(keys, TTL) { lock -> work(lock) },
          locker.withLock(keys, options) { work() },
          locker.withLock(keys = keys, ttl = TTL, block = { work() }),
          locker.withLock("a", block = ::of),
        )
      val attempts: List<String?> =
        listOf(
          locker.tryWithLock("a") { work() },
          locker.tryWithLock("a", TTL) { lock -> work(lock) },
          locker.tryWithLock("a", options) { work() },
          locker.tryWithLock(keys) { work() },
          locker.tryWithLock(keys, TTL) { work() },
          locker.tryWithLock(keys, options) { lock -> inScope(lock) },
        )

      assertThat(values + attempts).hasSize(15).allMatch { it == "done" }
    }

  @Test
  fun locksOfASuspendingLockerAreLocks() =
    virtually { v ->
      val locker: SuspendingLocker = v.locker
      val acquired: List<Lock> =
        listOf(
          locker.acquire("a"),
          locker.acquire("b", TTL),
          locker.acquire("c", TTL) { fenced = true },
          locker.acquire("d") { fenced = true },
          locker.acquire("e", options),
          locker.acquire(listOf("f", "g")),
          locker.acquire(listOf("h", "i"), ttl = TTL) { fenced = true },
          locker.acquire(listOf("j", "k"), options = options),
        )
      val tried: List<Lock?> =
        listOf(
          locker.tryAcquire("l"),
          locker.tryAcquire("m", TTL),
          locker.tryAcquire("n", TTL) { fenced = true },
          locker.tryAcquire("o", options),
          locker.tryAcquire(listOf("p", "q")),
          locker.tryAcquire(listOf("r", "s"), TTL),
          locker.tryAcquire(listOf("t", "u"), options),
        )
      val busy: List<Lock?> =
        listOf(
          locker.tryAcquire("a"),
          locker.tryAcquire("a", TTL),
          locker.tryAcquire("a", options),
          locker.tryAcquire(keys),
          locker.tryAcquire(keys, TTL),
          locker.tryAcquire(keys, options),
        )

      assertThat(acquired + tried).hasSize(15).allMatch { it!!.isValid }
      assertThat((acquired + tried).filter { it!!.fencingToken().isPresent }).hasSize(4)
      assertThat(busy).containsOnlyNulls()
    }

  @Test
  fun aReactiveLockerHasWithLockToo() =
    virtually { v ->
      val locker: ReactiveLocker = v.locker.reactive
      val block: suspend CoroutineScope.(Lock) -> String = { lock -> inScope(lock) }
      val values: List<String> =
        listOf(
          locker.withLock("a", TTL) { work() },
          locker.withLock("a", TTL) { lock -> inScope(lock) },
          locker.withLock(keys, TTL) { lock -> work(lock) },
          locker.withLock("a", options = options) { work() },
          locker.withLock(keys, options = options) { lock -> work(lock) },
          locker.withLock("a", options, block), // no lambda, so it cannot be a method's
        )

      assertThat(values).hasSize(6).allMatch { it == "done" }
    }

  @Test
  fun flowsTakeEitherLocker() =
    virtually { v ->
      val rows: Flow<Int> = flowOf(1, 2)
      val locked: List<Flow<Int>> =
        listOf(
          rows.withLock(v.locker, "a"),
          rows.withLock(v.locker, "a", TTL),
          rows.withLock(v.locker, "a", options),
          rows.withLock(v.locker, keys),
          rows.withLock(v.locker, keys, TTL),
          rows.withLock(v.locker, keys, options),
          rows.withLock(v.locker.reactive, "a"),
          rows.withLock(v.locker.reactive, keys),
        )

      assertThat(locked.map { it.toList() }).hasSize(8).allMatch { it == listOf(1, 2) }
    }

  @Test
  fun optionsWithoutANameAndADurationOfJavaAreTheMethodsOfTheReactiveLocker() =
    virtually { v ->
      val locker: ReactiveLocker = v.locker.reactive
      val one: Mono<String> = locker.withLock("a", options) { Mono.just("done") }
      val given: Mono<String> = locker.withLock("a", javaTtl) { lock -> Mono.just(lock.token()) }
      val body: Mono<String> = locker.withLock("a", javaTtl, Mono.just("done"))
      val acquired: Mono<Lock> = locker.acquire("a", options)
      val tried: Mono<Lock> = locker.tryAcquire(keys, options)

      assertThat(one.awaitSingle()).isEqualTo("done")
      assertThat(listOf(given, body, acquired, tried)).doesNotContainNull()
    }

  private suspend fun of(
    scope: CoroutineScope,
    lock: Lock,
  ): String = scope.inScope(lock)

  private suspend fun work(lock: Lock? = null): String {
    delay(1.milliseconds)
    assertThat(lock == null || lock.isValid).isTrue()
    return "done"
  }

  private suspend fun CoroutineScope.inScope(lock: Lock): String {
    assertThat(coroutineContext[HeldLock]?.lock).isSameAs(lock)
    return work(lock)
  }
}
