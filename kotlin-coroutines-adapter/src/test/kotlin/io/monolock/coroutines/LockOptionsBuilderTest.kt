// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import io.monolock.LockOptions
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test
import reactor.util.retry.Retry
import java.lang.reflect.Method
import kotlin.reflect.KMutableProperty1
import kotlin.test.assertFailsWith
import kotlin.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.nanoseconds
import kotlin.time.Duration.Companion.seconds
import kotlin.time.toJavaDuration

class LockOptionsBuilderTest {
  private class Setting<T>(
    val property: KMutableProperty1<LockOptionsBuilder, T>,
    val value: T,
  ) {
    fun set(builder: LockOptionsBuilder) = property.set(builder, value)

    fun isSetIn(builder: LockOptionsBuilder) = property.get(builder) == value
  }

  private val settings =
    listOf(
      Setting(LockOptionsBuilder::ttl, 7.seconds),
      Setting(LockOptionsBuilder::retry, Retry.max(3)),
      Setting(LockOptionsBuilder::waitAtMost, 1.seconds),
      Setting(LockOptionsBuilder::autoRefresh, false),
      Setting(LockOptionsBuilder::maxHold, 2.seconds),
      Setting(LockOptionsBuilder::fenced, true),
      Setting(LockOptionsBuilder::metadata, "host-7"),
      Setting(LockOptionsBuilder::token, "a".repeat(22)),
      Setting(LockOptionsBuilder::holdAtLeast, 3.seconds),
      Setting(LockOptionsBuilder::finishOnCancel, true),
    )

  private val withers: List<Method> =
    LockOptions::class.java.methods.filter {
      it.returnType == LockOptions::class.java &&
        it.name != "of"
    }

  @Test
  fun everyOptionCanBeSet() {
    assertThat(
      settings.map {
        it.property.name
      },
    ).containsExactlyInAnyOrderElementsOf(withers.map { it.name })
  }

  @Test
  fun eachPropertySetsItsOptionAndNoOther() {
    for (setting in settings) {
      val options = lockOptions(TTL) { setting.set(this) }

      for (other in settings) {
        lockOptions(options) {
          assertThat(
            other.isSetIn(this),
          ).describedAs(other.property.name).isEqualTo(other === setting)
        }
        val accessor = LockOptions::class.java.getMethod(other.property.name)
        val isDefault = accessor.invoke(options) == accessor.invoke(lockOptions(TTL))
        assertThat(isDefault).describedAs(other.property.name).isEqualTo(other !== setting)
      }
    }
  }

  @Test
  fun optionsThatOthersStartFromStayAsTheyAre() {
    val template = lockOptions(TTL) { fenced = true }

    val changed = lockOptions(template) { metadata = "m" }

    assertThat(template.metadata()).isEmpty()
    assertThat(changed.fenced()).isTrue()
    assertThat(changed.ttl()).isEqualTo(TTL.toJavaDuration())
  }

  @Test
  fun durationsAreRoundedUp() {
    assertThat(lockOptions(10.milliseconds + 1.nanoseconds).ttl().toMillis()).isEqualTo(11)
  }

  @Test
  fun valuesOutOfRangeAreRefusedAtTheAssignment() {
    for (bad in listOf(
      Duration.ZERO,
      -TTL,
      Duration.INFINITE,
      -Duration.INFINITE,
      366.days,
      9.milliseconds,
    )) {
      val complaint = assertFailsWith<IllegalArgumentException> { lockOptions(bad) }
      assertThat(complaint).hasMessageStartingWith("ttl must be between 10 ms and 365 days, was PT")
    }
    assertFailsWith<IllegalArgumentException> { lockOptions(TTL) { token = "short" } }
    assertFailsWith<IllegalArgumentException> { lockOptions(TTL) { token = null } }
  }
}
