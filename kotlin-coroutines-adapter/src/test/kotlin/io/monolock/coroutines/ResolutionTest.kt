// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.Lock
import io.monolock.LockOptions
import io.monolock.ReactiveLocker
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.delay
import kotlinx.coroutines.reactor.awaitSingle
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.toJavaDuration

/**
 * Which call is which: the methods of [ReactiveLocker] win over our functions of the same name
 * wherever both fit. The types that are written out here make the compiler check that.
 */
class ResolutionTest {
  private val javaTtl = TTL.toJavaDuration()
  private val keys = listOf("a", "b")

  @Test
  fun aDurationOfKotlinIsOurs() =
    virtually { v ->
      val one: String = v.locker.withLock("a", TTL) { work() }
      val given: String = v.locker.withLock("a", TTL) { lock -> work(lock) }
      val scoped: String = v.locker.withLock("a", TTL) { lock -> inScope(lock) }
      val several: String = v.locker.withLock(keys, TTL) { work() }
      val named: String = v.locker.withLock(keys = keys, ttl = TTL, block = { work() })
      val acquired: Lock = v.locker.acquire("c", TTL)
      val set: Lock = v.locker.acquire("d", ttl = TTL) { fenced = true }
      val tried: Lock? = v.locker.tryAcquire("e", ttl = TTL) { fenced = true }
      val all: Lock = v.locker.acquire(listOf("f", "g"), TTL)
      val perhaps: Lock? = v.locker.tryAcquire(listOf("f", "g"), TTL) { fenced = true }
      acquired.extend(TTL)

      assertThat(listOf(one, given, scoped, several, named)).allMatch { it == "done" }
      assertThat(set.fencingToken()).isPresent()
      assertThat(tried!!.fencingToken()).isPresent()
      assertThat(all.keys()).containsExactly("f", "g")
      assertThat(perhaps).isNull()
    }

  @Test
  fun namedOptionsAreOurs() =
    virtually { v ->
      val options = options()
      val one: String = v.locker.withLock("a", options = options) { work() }
      val given: String = v.locker.withLock("a", options = options) { lock -> work(lock) }
      val scoped: String = v.locker.withLock("a", options = options) { lock -> inScope(lock) }
      val several: String = v.locker.withLock(keys, options = options) { work() }
      val acquired: Lock = v.locker.acquire("c", options = options)
      val all: Lock = v.locker.acquire(listOf("d", "e"), options = options)
      val tried: Lock? = v.locker.tryAcquire("c", options = options)
      val perhaps: Lock? = v.locker.tryAcquire(listOf("d", "e"), options = options)

      assertThat(listOf(one, given, scoped, several)).allMatch { it == "done" }
      assertThat(acquired.isValid && all.isValid).isTrue()
      assertThat(listOf(tried, perhaps)).containsOnlyNulls()
    }

  @Test
  fun aBlockInAVariableIsOursEvenWithoutAName() =
    virtually { v ->
      val block: suspend CoroutineScope.(Lock) -> String = { lock -> work(lock) }

      val value: String = v.locker.withLock("a", options(), block)

      assertThat(value).isEqualTo("done")
    }

  @Test
  fun optionsWithoutANameAndADurationOfJavaAreTheMethodsOfTheLocker() =
    virtually { v ->
      val options: LockOptions = options()
      val one: Mono<String> = v.locker.withLock("a", options) { Mono.just("done") }
      val given: Mono<String> = v.locker.withLock("a", javaTtl) { lock -> Mono.just(lock.token()) }
      val body: Mono<String> = v.locker.withLock("a", javaTtl, Mono.just("done"))
      val acquired: Mono<Lock> = v.locker.acquire("a", options)
      val tried: Mono<Lock> = v.locker.tryAcquire(keys, options)

      assertThat(one.awaitSingle()).isEqualTo("done")
      assertThat(listOf(given, body, acquired, tried)).doesNotContainNull()
    }

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
