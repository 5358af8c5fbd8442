// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.lettuce.core.RedisClient
import io.monolock.LockLostException
import io.monolock.LockNotAcquiredException
import io.monolock.LockStoreException
import io.monolock.LockerClosedException
import io.monolock.ReactiveLocker
import io.monolock.reactor.CurrentLock
import io.monolock.reactor.LockOperators.locked
import io.monolock.reactor.ReentrantLocker
import io.monolock.redis.RedisLockStore
import io.monolock.test.RedisServer
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.reactor.awaitSingleOrNull
import kotlinx.coroutines.reactor.mono
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import reactor.core.publisher.Mono
import java.util.concurrent.TimeUnit
import kotlin.coroutines.coroutineContext
import kotlin.test.assertFailsWith
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

/** The code that documents and KDoc show, run; a test of the core compares the texts. */
class Snippets(
  server: RedisServer,
) : LockerOnRedis(server) {
  private val locker = locker()
  private val reactive = locker.reactive
  private val rows = flowOf("1", "2")
  private val written = mutableListOf<Long>()

  private fun charge(
    order: String,
    number: Long = 0,
  ): String = "$order, $number"

  private fun write(number: Long) {
    written += number
  }

  private fun reserve(item: String) = assertThat(item).isNotEmpty()

  @Test
  fun firstSteps() {
    val uri = server.uri()
    runBlocking<Unit> {
      val client = RedisClient.create(uri)
      val locker = ReactiveLocker.create(RedisLockStore.create(client)).suspending()

      val receipt = locker.withLock("order:42") { charge("order:42") }

      locker.reactive.close().awaitSingleOrNull()
      client.shutdown(0, 2, TimeUnit.SECONDS)
      assertThat(receipt).isEqualTo("order:42, 0")
    }
  }

  @Test
  fun scope() =
    runBlocking<Unit> {
      locker.withLock(listOf("stock:7", "order:42"), ttl = 10.seconds) { lock ->
        launch { reserve("stock:7") }
        launch { reserve("order:42") }
        println("held for ${lock.remaining()}")
      }
      assertThat(keys()).isEmpty()
    }

  @Test
  fun optionsOfACall() =
    runBlocking<Unit> {
      val options = lockOptions(ttl = 30.seconds) { fenced = true }
      val receipt =
        locker.withLock("order:42", options) { lock ->
          charge("order:42", lock.fencingToken().asLong)
        }

      assertThat(receipt).doesNotEndWith(" 0")
    }

  @Test
  fun reactiveLocker() {
    val locker = reactive
    runBlocking<Unit> {
      val receipt = locker.withLock("order:42", 10.seconds) { charge("order:42") }

      assertThat(receipt).isEqualTo("order:42, 0")
      assertThat(keys()).isEmpty()
    }
    val suspending = locker.suspending()

    assertThat(suspending.reactive).isSameAs(locker)
  }

  class Orders(
    private val locker: SuspendingLocker,
  ) {
    suspend fun pay(id: Long) = locker.withLock("order:$id") { charge(id) }

    private fun charge(id: Long): String = "order:$id"
  }

  @Test
  fun declared() =
    runBlocking<Unit> {
      assertThat(Orders(locker).pay(42)).isEqualTo("order:42")
    }

  @Test
  fun atOnce() =
    runBlocking<Unit> {
      var reports = 0
      val report = { reports++ }
      locker.tryWithLock("nightly-report") { report() } ?: println("runs elsewhere")

      assertThat(reports).isEqualTo(1)
    }

  @Test
  fun mutex() =
    runBlocking<Unit> {
      val mutex = locker.mutex("order:42")
      val receipt = mutex.withLock { charge("order:42") }

      assertThat(receipt).isEqualTo("order:42, 0")
      assertThat(keys()).isEmpty()
    }

  @Test
  fun options() {
    val options =
      lockOptions(ttl = 30.seconds) {
        waitAtMost = 2.seconds
        fenced = true
        metadata = "host-7"
      }
    val fenced = lockOptions(ttl = 30.seconds) { fenced = true }
    val atOnce = lockOptions(from = locker.reactive.defaults()) { waitAtMost = Duration.ZERO }

    assertThat(options.fenced() && fenced.fenced()).isTrue()
    assertThat(atOnce.waitAtMost()).isZero()
  }

  @Test
  fun inTheHand() =
    runBlocking<Unit> {
      val lock = locker.acquire("report", ttl = 30.seconds) { fenced = true }
      try {
        write(lock.fencingToken().asLong)
      } finally {
        lock.releaseAndJoin()
      }

      assertThat(written).hasSize(1)
      assertThat(keys()).containsExactly("report:fence")
    }

  @Test
  fun once() =
    runBlocking<Unit> {
      val lock = locker.tryAcquire("nightly", ttl = 30.seconds)

      assertThat(lock).isNotNull()
      assertThat(locker.tryAcquire("nightly", ttl = 30.seconds)).isNull()
    }

  @Test
  fun limitedWait() =
    runBlocking<Unit> {
      val lock = locker.acquire("report") { waitAtMost = 2.seconds }

      assertThat(lock.releaseAndJoin()).isTrue()
    }

  @Test
  fun flows() =
    runBlocking<Unit> {
      val exported: Flow<String> = rows.withLock(locker, "export", 30.seconds)

      assertThat(exported.toList()).containsExactly("1", "2")
    }

  @Test
  fun heldLock() =
    runBlocking<Unit> {
      locker.withLock("order:42", lockOptions(30.seconds) { fenced = true }) {
        val number = coroutineContext[HeldLock]?.lock?.fencingToken()

        assertThat(number).isNotNull()
        save()
      }
      assertThat(written).hasSize(1)
      assertThat(keys()).hasSize(1)
    }

  private suspend fun save() {
    val lock = currentCoroutineContext()[HeldLock]?.lock ?: error("save() is called under a lock")
    write(lock.fencingToken().asLong)
  }

  @Test
  fun meetingReactor() =
    runBlocking<Unit> {
      val debit = Mono.just("debited")
      locker.withLock("order:42") {
        val debited = CurrentLock.require("order:42").then(debit).awaitSingle()
        println(debited)
      }

      val options = lockOptions(ttl = 30.seconds)
      val checked =
        mono { HeldLock.require("order:42") }
          .transformDeferred(locked(locker.reactive, "order:42", options))

      assertThat(checked.awaitSingle().keys()).containsExactly("order:42")
    }

  @Test
  fun reentrancy() =
    runBlocking<Unit> {
      val reentrant = ReentrantLocker.wrap(locker.reactive).suspending()
      reentrant.withLock("order:42") {
        reentrant.withLock("order:42") { charge("order:42") }
      }

      assertThat(keys()).isEmpty()
    }

  @Test
  fun errors() =
    runBlocking<Unit> {
      locker.acquire("order:42", 30.seconds)
      val options = lockOptions(ttl = 30.seconds) { waitAtMost = 500.milliseconds }

      val answer =
        try {
          locker.withLock("order:42", options) { charge("order:42") }
        } catch (busy: LockNotAcquiredException) {
          "try again in ${busy.retryAfter().orElse(java.time.Duration.ZERO)}"
        } catch (lost: LockLostException) {
          "stopped, as the lock was lost: ${lost.reason()}"
        } catch (trouble: LockStoreException) {
          "look at Redis: ${trouble.reason()}"
        } catch (closed: LockerClosedException) {
          "we are stopping"
        }

      assertThat(answer).startsWith("try again in PT")
    }
}
