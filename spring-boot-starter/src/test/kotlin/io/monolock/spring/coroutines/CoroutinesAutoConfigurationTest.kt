// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.coroutines

import io.monolock.ReactiveLocker
import io.monolock.coroutines.SuspendingLocker
import io.monolock.coroutines.suspending
import io.monolock.memory.InMemoryLockStore
import io.monolock.spring.MonolockAutoConfiguration
import io.monolock.store.LockStore
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.test.context.FilteredClassLoader
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner

/** What coroutines can have injected. */
class CoroutinesAutoConfigurationTest {
  private val runner =
    ApplicationContextRunner()
      .withConfiguration(
        AutoConfigurations.of(
          CoroutinesAutoConfiguration::class.java,
          MonolockAutoConfiguration::class.java,
        ),
      ).withPropertyValues("monolock.ttl=7s")
  private val withStore =
    runner.withBean("store", LockStore::class.java, { InMemoryLockStore.create() })

  class Orders(
    private val locker: SuspendingLocker,
  ) {
    suspend fun pay(id: Long): String = locker.withLock("order:$id") { "paid $id, ${it.keys()}" }
  }

  @Test
  fun aClassIsGivenTheLockerWithItsDefaults() {
    withStore.withBean(Orders::class.java).run { context: AssertableApplicationContext ->
      val locker = context.getBean(SuspendingLocker::class.java)

      assertThat(locker.reactive).isSameAs(context.getBean(ReactiveLocker::class.java))
      assertThat(locker.reactive.defaults().ttl()).hasSeconds(7)
      assertThat(
        runBlocking { context.getBean(Orders::class.java).pay(42) },
      ).isEqualTo("paid 42, [order:42]")
    }
  }

  @Test
  fun oneOfTheApplicationReplacesIt() {
    val own = ReactiveLocker.create(InMemoryLockStore.create()).suspending()
    val withOwn = withStore.withBean("own", SuspendingLocker::class.java, { own })
    withOwn.run { context: AssertableApplicationContext ->
      assertThat(context.getBean(SuspendingLocker::class.java)).isSameAs(own)
    }
  }

  @Test
  fun withoutALockerThereIsNone() {
    runner.run { context: AssertableApplicationContext ->
      assertThat(context).hasNotFailed().doesNotHaveBean(SuspendingLocker::class.java)
    }
  }

  @Test
  fun withoutTheAdapterOrKotlinThereIsNone() {
    for (missing in listOf("io.monolock.coroutines", "kotlin.coroutines")) {
      val without = withStore.withClassLoader(FilteredClassLoader(missing))
      without.run { context: AssertableApplicationContext ->
        assertThat(context).hasNotFailed().hasSingleBean(ReactiveLocker::class.java)
        assertThat(context).doesNotHaveBean("monolockSuspendingLocker")
      }
    }
  }
}
