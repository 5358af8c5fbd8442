// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.ReactiveLocker
import io.monolock.memory.InMemoryLockStore
import kotlinx.coroutines.CoroutineName
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asContextElement
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.single
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.asCoroutineContext
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import reactor.util.context.Context
import java.util.concurrent.CopyOnWriteArrayList
import java.util.concurrent.Executors
import kotlin.coroutines.ContinuationInterceptor
import kotlin.time.Duration.Companion.milliseconds

class ContextTest {
  private val store = TroubledStore(InMemoryLockStore.create())
  private val locker = ReactiveLocker.create(store).suspending()

  @Test
  fun dispatcherAndElementsOfTheCallerAreKept() {
    val local = ThreadLocal<String>()
    val thread = Executors.newSingleThreadExecutor { Thread(it, "the-callers") }
    thread.asCoroutineDispatcher().use { dispatcher ->
      runBlocking(dispatcher + CoroutineName("caller") + local.asContextElement("here")) {
        suspend fun check() {
          assertThat(Thread.currentThread().name).startsWith("the-callers")
          assertThat(currentCoroutineContext()[CoroutineName]?.name).isEqualTo("caller")
          assertThat(currentCoroutineContext()[ContinuationInterceptor]).isSameAs(dispatcher)
          assertThat(local.get()).isEqualTo("here")
        }

        for (finishing in listOf(false, true)) {
          locker.withLock("a", options { finishOnCancel = finishing }) {
            check()
            delay(1.milliseconds)
            launch { check() }
            launch(Dispatchers.IO) { delay(5.milliseconds) } // ends last, elsewhere
            check()
          }
          check()
        }
        val lock = locker.acquire("a", TTL)
        check()
        lock.extend(TTL)
        check()
        lock.releaseAndJoin()
        check()
      }
    }
    locker.reactive.close().block()
  }

  @Test
  fun storeSeesTheReactorContextOfTheCaller() {
    val seen = CopyOnWriteArrayList<String>()
    store.onAcquire = recording(seen, "acquire")
    store.onExtend = recording(seen, "extend")
    store.onRelease = recording(seen, "release")

    runBlocking(Context.of("user", "Ada").asCoroutineContext()) {
      locker.withLock("a", TTL) { lock ->
        lock.extend(TTL)
        assertThat(user().awaitSingle()).isEqualTo("Ada")
      }
      locker.acquire("b", TTL).releaseAndJoin()
      flow { emit(1) }.withLock(locker, "c", TTL).single()
    }

    assertThat(seen).containsExactly(
      "acquire Ada",
      "extend Ada",
      "release Ada",
      "acquire Ada",
      "release Ada",
      "acquire Ada",
      "release Ada",
    )
    locker.reactive.close().block()
  }

  private fun recording(
    seen: MutableList<String>,
    call: String,
  ): (Mono<*>) -> Mono<*> =
    { inner ->
      Mono.deferContextual {
        seen += "$call ${it.getOrDefault("user", "none")}"
        inner
      }
    }

  @Test
  fun reactorContextOfAMonoReachesTheBlockInsideIt() {
    val seen =
      mono {
        locker.withLock("a", TTL) {
          user().awaitSingle()
        }
      }.contextWrite(Context.of("user", "Ada"))

    assertThat(seen.block()).isEqualTo("Ada")
    locker.reactive.close().block()
  }

  private fun user() = Mono.deferContextual { Mono.just(it.get<String>("user")) }
}
