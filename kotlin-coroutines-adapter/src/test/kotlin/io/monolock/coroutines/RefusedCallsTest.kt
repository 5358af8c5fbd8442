// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import org.assertj.core.api.Assertions.assertThat
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.Timeout
import org.junit.jupiter.api.io.TempDir
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.PrintStream
import java.nio.file.Path
import kotlin.io.path.createDirectories
import kotlin.io.path.writeText

/**
 * Suspending code that would lock nothing does not compile. Asked is the oldest compiler that is
 * supported, so this also shows that it can read what the present one wrote.
 */
@Timeout(300)
class RefusedCallsTest {
  @TempDir
  lateinit var folder: Path

  /** Calls of a suspend function, of which a method of the locker must not become anything. */
  private val refused =
    listOf(
      // options by position: the lambda would be the body of a method, which cannot suspend
      """locker.withLock("a", options) { work() }""",
      """locker.withLock("a", options) { lock -> work(lock) }""",
      """locker.withLock(keys, options) { work() }""",
      """locker.withLock("a", options) { listOf(1).forEach { work() } }""",
      """locker.withLock("a", options) { withContext(Dispatchers.IO) { work() } }""",
      """locker.withLock("a", options) { launch { work() } }""",
      """val done: String = locker.withLock("a", options) { work() }""",
      """locker.tryWithLock("a", options) { work() }""",
      """locker.tryWithLock(keys, options) { work() }""",
      // no options: so would it
      """locker.withLock("a") { work() }""",
      """locker.withLock(keys) { work() }""",
      """locker.tryWithLock("a") { work() }""",
      // a body that does not suspend has to give a Mono
      """locker.withLock("a", options) { println("no Mono") }""",
      """locker.withLock("a") { println("no Mono") }""",
      """locker.tryWithLock("a") { println("no Mono") }""",
      // a ttl of Kotlin's: only withLock of a ReactiveLocker knows it
      """locker.acquire("a", 3.seconds)""",
      """locker.acquire(keys, 3.seconds) { fenced = true }""",
      """locker.tryAcquire("a", 3.seconds)""",
      """locker.tryWithLock("a", 3.seconds) { work() }""",
      // a Mono is no lock
      """locker.acquire("a", options = options)""",
      """val lock: Lock = locker.acquire("a", options)""",
      """val lock: Lock? = locker.tryAcquire("a", lockOptions(ttl = 3.seconds))""",
      """locker.acquire("a", options).releaseAndJoin()""",
      """locker.tryAcquire("a", options)?.releaseAndJoin() ?: return""",
      // null is what a busy key gives
      """suspending.tryWithLock("a") { null }""",
    )

  private val accepted =
    listOf(
      """suspending.withLock("a", options) { work() }""",
      """suspending.withLock("a") { lock -> work(lock) }""",
      """if (suspending.tryAcquire("a", lockOptions(ttl = 3.seconds)) == null) return""",
      """suspending.acquire("a", options).releaseAndJoin()""",
      """suspending.tryWithLock("a") { work() } ?: println("busy")""",
      """suspending.mutex("a").withLock { work() }""",
      """locker.withLock("a", 3.seconds) { work() }""",
      """locker.withLock("a", options = options) { work() }""",
    )

  @Test
  fun callsThatWouldLockNothingDoNotCompile() {
    refused.forEachIndexed { i, call -> write("Refused$i", call) }
    accepted.forEachIndexed { i, call -> write("Accepted$i", call) }

    val output = compile()

    assertThat(refused.indices.filterNot { output.hasError("Refused$it") }.map { refused[it] })
      .describedAs(output)
      .isEmpty()
    assertThat(accepted.indices.filter { output.hasError("Accepted$it") }.map { accepted[it] })
      .describedAs(output)
      .isEmpty()
  }

  /** Asked alone, as a compiler that found errors says nothing of warnings. */
  @Test
  fun anUnusedAttemptOfAReactiveLockerIsAWarningAtLeast() {
    write("Trap", """if (locker.tryAcquire("a", lockOptions(ttl = 3.seconds)) == null) return""")

    assertThat(compile()).contains("Trap.kt").contains("warning:", "always 'false'")
  }

  private fun String.hasError(name: String): Boolean =
    lines().any { it.contains("$name.kt:") && it.contains("error:") }

  private fun write(
    name: String,
    call: String,
  ) {
    folder.resolve("calls").createDirectories().resolve("$name.kt").writeText(
      """
      package calls

      import io.monolock.Lock
      import io.monolock.LockOptions
      import io.monolock.ReactiveLocker
      import io.monolock.coroutines.*
      import kotlinx.coroutines.*
      import kotlin.time.Duration.Companion.seconds

      class $name {
        suspend fun work(lock: Lock? = null): String = "done, ${'$'}lock"

        suspend fun CoroutineScope.call(
          locker: ReactiveLocker, suspending: SuspendingLocker, options: LockOptions, keys: List<String>,
        ) {
          $call
        }
      }
      """.trimIndent(),
    )
  }

  /** Without the tools of the newer compiler, which this one cannot read. */
  private val classPath =
    System
      .getProperty("java.class.path")
      .split(File.pathSeparator)
      .filterNot {
        Path
          .of(it)
          .fileName
          .toString()
          .contains(Regex("abi|metadata-jvm"))
      }.joinToString(File.pathSeparator)

  /** What the compiler says. */
  private fun compile(): String {
    val said = ByteArrayOutputStream()
    K2JVMCompiler().exec(
      PrintStream(said),
      "-no-stdlib",
      "-no-reflect",
      "-classpath",
      classPath,
      "-d",
      folder.resolve("classes").toString(),
      folder.resolve("calls").toString(),
    )
    return said.toString(Charsets.UTF_8)
  }
}
