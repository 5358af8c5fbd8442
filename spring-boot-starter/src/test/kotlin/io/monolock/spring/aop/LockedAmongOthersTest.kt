// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.aop

import io.monolock.memory.InMemoryLockStore
import io.monolock.spring.Locked
import io.monolock.spring.MonolockAutoConfiguration
import io.monolock.store.LockStore
import kotlinx.coroutines.delay
import kotlinx.coroutines.runBlocking
import org.aopalliance.intercept.MethodInterceptor
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import org.springframework.aop.Advisor
import org.springframework.aop.support.DefaultPointcutAdvisor
import org.springframework.aop.support.NameMatchMethodPointcut
import org.springframework.beans.factory.config.BeanDefinition
import org.springframework.boot.autoconfigure.AutoConfigurations
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration
import org.springframework.boot.test.context.assertj.AssertableApplicationContext
import org.springframework.boot.test.context.runner.ApplicationContextRunner
import org.springframework.cache.annotation.Cacheable
import org.springframework.cache.annotation.EnableCaching
import org.springframework.cache.concurrent.ConcurrentMapCacheManager
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.test.util.AopTestUtils
import java.util.concurrent.atomic.AtomicInteger

/** A lock around suspend functions that have other advice between the lock and the function. */
class LockedAmongOthersTest {
  private val runner =
    ApplicationContextRunner()
      .withConfiguration(
        AutoConfigurations.of(
          AopAutoConfiguration::class.java,
          LockedAutoConfiguration::class.java,
          MonolockAutoConfiguration::class.java,
        ),
      ).withBean("store", LockStore::class.java, { InMemoryLockStore.create() })

  open class Prices {
    val calls = AtomicInteger()

    @Cacheable("prices")
    @Locked(keys = ["'price:' + #id"])
    open suspend fun price(id: Long): String {
      delay(1)
      return "price ${calls.incrementAndGet()}"
    }

    @Cacheable("nothing")
    @Locked(keys = ["'price:' + #id"])
    open suspend fun nothing(id: Long): String? {
      delay(1)
      calls.incrementAndGet()
      return null
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableCaching
  open class Caching {
    @Bean
    open fun caches() = ConcurrentMapCacheManager()
  }

  @Test
  fun aCachedValueComesBackAsItIsAndSoDoesACachedNull() {
    runner
      .withUserConfiguration(Caching::class.java)
      .withBean(Prices::class.java)
      .run { context: AssertableApplicationContext ->
        assertThat(context).hasNotFailed()
        val prices = context.getBean(Prices::class.java)
        val work = AopTestUtils.getTargetObject<Prices>(prices)
        runBlocking {
          repeat(3) { assertThat(prices.price(42)).isEqualTo("price 1") }
          repeat(3) { assertThat(prices.nothing(42)).isNull() }
        }
        assertThat(work.calls).hasValue(2)
      }
  }

  open class Plain {
    @Locked(keys = ["'price:' + #id"])
    open suspend fun price(id: Long): String? = "of the function"
  }

  private fun answering(answer: Any?): Advisor {
    val pointcut = NameMatchMethodPointcut()
    pointcut.addMethodName("price")
    return DefaultPointcutAdvisor(pointcut, MethodInterceptor { answer })
  }

  @Test
  fun adviceThatAnswersWithoutTheFunctionIsBelieved() {
    for (answer in listOf("of the advice", null)) {
      runner
        .withBean(
          Advisor::class.java,
          { answering(answer) },
          { it.role = BeanDefinition.ROLE_INFRASTRUCTURE },
        ).withBean(Plain::class.java)
        .run { context: AssertableApplicationContext ->
          assertThat(context).hasNotFailed()
          runBlocking {
            assertThat(context.getBean(Plain::class.java).price(42)).isEqualTo(answer)
          }
        }
    }
  }

  @JvmInline
  value class Price(
    val cents: Long,
  )

  @JvmInline
  value class Name(
    val text: String,
  )

  open class GivesPrice {
    @Locked(keys = ["'price'"])
    open suspend fun find(): Price = Price(7)
  }

  open class GivesName {
    @Locked(keys = ["'name'"])
    open suspend fun find(): Name? = Name("seven")
  }

  open class GivesResult {
    @Locked(keys = ["'result'"])
    open suspend fun find(): Result<String> = Result.success("seven")
  }

  @Test
  fun valueClassesAsResultsFailTheStart() {
    for (type in listOf(GivesPrice::class.java, GivesName::class.java, GivesResult::class.java)) {
      runner.withBean(type).run { context: AssertableApplicationContext ->
        val failure = generateSequence(context.startupFailure) { it.cause }.last()
        assertThat(failure).hasMessageContainingAll("a value class", "return what")
      }
    }
  }
}
