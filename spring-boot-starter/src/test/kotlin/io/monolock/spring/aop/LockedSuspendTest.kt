// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop

import io.monolock.LockNotAcquiredException
import io.monolock.ReactiveLocker
import io.monolock.memory.InMemoryLockStore
import io.monolock.reactor.CurrentLock
import io.monolock.spring.Locked
import io.monolock.spring.MonolockAutoConfiguration
import io.monolock.store.LockStore
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.launch
import kotlinx.coroutines.reactor.ReactorContext
import kotlinx.coroutines.reactor.awaitSingle
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.test.util.AopTestUtils
import reactor.util.context.Context
import java.io.IOException
import java.time.Duration
import kotlin.coroutines.coroutineContext

/** A lock around a suspend function spans the function, which its caller cancels. */
class LockedSuspendTest {
  private val runner =
    ApplicationContextRunner()
      .withConfiguration(
        AutoConfigurations.of(
          AopAutoConfiguration::class.java,
          LockedAutoConfiguration::class.java,
          MonolockAutoConfiguration::class.java,
        ),
      ).withPropertyValues("monolock.wait-at-most=0s")
      .withBean("store", LockStore::class.java, { InMemoryLockStore.create() })

  open class SuspendOrders {
    val begun = CompletableDeferred<Unit>()
    val outcome = CompletableDeferred<String>()
    val cancelled = CompletableDeferred<Unit>()

    @Locked(keys = ["'order:' + #id"])
    open suspend fun pay(id: Long): String {
      begun.complete(Unit)
      try {
        return outcome.await()
      } finally {
        cancelled.complete(Unit)
      }
    }

    @Locked(keys = ["'order:' + #id"], finishOnCancel = [true])
    open suspend fun payToTheEnd(id: Long): String {
      begun.complete(Unit)
      return withContext(NonCancellable) { outcome.await() }
    }

    @Locked(keys = ["'order:' + #id"])
    open suspend fun nothing(id: Long): String? {
      delay(1)
      return null
    }

    @Locked(keys = ["'order:' + #id"])
    open suspend fun failing(id: Long): String {
      delay(1)
      throw IOException("no payment")
    }

    @Locked(keys = ["'order:' + #id"])
    open suspend fun current(id: Long): Set<String> = CurrentLock.get().awaitSingle().keys()

    @Locked(keys = ["'order:' + #id"])
    open suspend fun tenant(id: Long): String = coroutineContext[ReactorContext]!!.context["tenant"]
  }

  private fun orders(
    steps: suspend CoroutineScope.(SuspendOrders, SuspendOrders, suspend () -> Boolean) -> Unit,
  ) {
    runner.withBean(SuspendOrders::class.java).run { context: AssertableApplicationContext ->
      assertThat(context).hasNotFailed()
      val store = context.getBean(LockStore::class.java)
      val orders = context.getBean(SuspendOrders::class.java)
      val work = AopTestUtils.getTargetObject<SuspendOrders>(orders)
      runBlocking(Dispatchers.Default) {
        steps(orders, work) { store.inspect("order:42").hasElement().awaitSingle() }
      }
    }
  }

  private suspend fun await(condition: suspend () -> Boolean) {
    while (!condition()) {
      delay(5)
    }
  }

  @Test
  fun theLockSpansTheFunction() =
    orders { orders, work, isHeld ->
      val payment = async { orders.pay(42) }
      work.begun.await()
      assertThat(isHeld()).isTrue()
      work.outcome.complete("paid")
      assertThat(payment.await()).isEqualTo("paid")
      assertThat(isHeld()).isFalse()
    }

  @Test
  fun aSecondCallFailsAsTheLockIsHeld() =
    orders { orders, work, _ ->
      val payment = async { orders.pay(42) }
      work.begun.await()
      val refused = runCatching { orders.pay(42) }.exceptionOrNull()
      assertThat(refused).isInstanceOf(LockNotAcquiredException::class.java)
      work.outcome.complete("paid")
      payment.await()
    }

  @Test
  fun aCancelledCallerCancelsTheFunctionAndFreesTheLock() =
    orders { orders, work, isHeld ->
      val payment = launch { orders.pay(42) }
      work.begun.await()
      payment.cancelAndJoin()
      work.cancelled.await()
      await { !isHeld() }
    }

  @Test
  fun withFinishOnCancelTheLockIsFreedAtTheEndOfTheFunction() =
    orders { orders, work, isHeld ->
      val payment = launch { orders.payToTheEnd(42) }
      work.begun.await()
      payment.cancelAndJoin()
      delay(100)
      assertThat(isHeld()).isTrue()
      work.outcome.complete("paid")
      await { !isHeld() }
    }

  @Test
  fun nullIsAResult() =
    orders { orders, _, isHeld ->
      assertThat(orders.nothing(42)).isNull()
      assertThat(isHeld()).isFalse()
    }

  @Test
  fun whatTheFunctionThrowsIsThrown() =
    orders { orders, _, isHeld ->
      val thrown = runCatching { orders.failing(42) }.exceptionOrNull()
      assertThat(thrown).isInstanceOf(IOException::class.java).hasMessage("no payment")
      assertThat(isHeld()).isFalse()
    }

  @Test
  fun theFunctionHasTheContextOfItsCaller() =
    orders { orders, _, _ ->
      withContext(ReactorContext(Context.of("tenant", "acme"))) {
        assertThat(orders.tenant(42)).isEqualTo("acme")
      }
    }

  @Test
  fun theFunctionFindsItsLockInTheContext() =
    orders { orders, _, _ ->
      assertThat(orders.current(42)).containsExactly("order:42")
    }

  open class SkippedOrders {
    @Locked(keys = ["'order:' + #id"], onBusy = Locked.OnBusy.SKIP)
    open suspend fun pay(id: Long): String? = "paid"

    @Locked(keys = ["'order:' + #id"], onBusy = Locked.OnBusy.SKIP)
    open suspend fun ship(
      id: Long,
      shipped: CompletableDeferred<Unit>,
    ) {
      shipped.complete(Unit)
    }
  }

  @Test
  fun aFunctionThatMayBeSkippedGivesNullWhileItsKeyIsHeld() {
    runner.withBean(SkippedOrders::class.java).run { context: AssertableApplicationContext ->
      assertThat(context).hasNotFailed()
      val orders = context.getBean(SkippedOrders::class.java)
      val locker = context.getBean(ReactiveLocker::class.java)
      runBlocking {
        assertThat(orders.pay(42)).isEqualTo("paid")
        val lock = locker.acquire("order:42", Duration.ofSeconds(20)).awaitSingle()
        assertThat(orders.pay(42)).isNull()
        val shipped = CompletableDeferred<Unit>()
        orders.ship(42, shipped)
        assertThat(shipped.isCompleted).isFalse()
        lock.release().awaitSingle()
        orders.ship(42, shipped)
        assertThat(shipped.isCompleted).isTrue()
      }
    }
  }

  open class NeverNull {
    @Locked(keys = ["'order:' + #id"], onBusy = Locked.OnBusy.SKIP)
    open suspend fun pay(id: Long): String = "paid"
  }

  @Test
  fun aFunctionThatMayBeSkippedButHasNoNullFailsTheStart() {
    assertThat(failureOf(NeverNull::class.java))
      .hasMessageContainingAll("pay(", "String", "never null")
  }

  open class Following {
    @Locked(keys = ["'order:' + #id"])
    open fun follow(id: Long): Flow<String> = flowOf("packed")
  }

  open class SuspendFollowing {
    @Locked(keys = ["'order:' + #id"])
    open suspend fun follow(id: Long): Flow<String> = flowOf("packed")
  }

  class Closed {
    @Locked(keys = ["'order:' + #id"])
    suspend fun pay(id: Long): String = "paid"
  }

  private fun failureOf(type: Class<*>): Throwable {
    var failure: Throwable? = null
    runner.withBean(type).run { context: AssertableApplicationContext ->
      failure =
        generateSequence(context.startupFailure) { it.cause }
          .first { it.message.orEmpty().startsWith("@Locked on ") }
    }
    return failure!!
  }

  @Test
  fun aFlowFailsTheStartAndSaysWhatToDo() {
    for (type in listOf(Following::class.java, SuspendFollowing::class.java)) {
      assertThat(failureOf(type)).hasMessageContainingAll("follow(", "Flow.withLock")
    }
  }

  @Test
  fun aFunctionThatIsNotOpenFailsTheStartAndSaysWhatToDo() {
    assertThat(failureOf(Closed::class.java)).hasMessageContainingAll("pay(", "`open`")
  }
}
