// SPDX-License-Identifier: Apache-2.0
package io.monolock.coroutines

import org.assertj.core.api.Assertions.assertThat
import org.jetbrains.kotlin.abi.tools.AbiFilters
import org.jetbrains.kotlin.abi.tools.AbiTools
import org.junit.jupiter.api.Test
import java.io.File
import kotlin.io.path.Path
import kotlin.io.path.createParentDirectories
import kotlin.io.path.readText
import kotlin.io.path.writeText

/** What compiled programs rely on changes only on purpose. */
class BinaryApiTest {
  private val agreed = Path("api/monolock-kotlin-coroutines-adapter.api")

  @Test
  fun binaryApiIsTheAgreedOne() {
    val present = dump()
    if (System.getProperty("api.update").toBoolean()) {
      agreed.createParentDirectories().writeText(present)
    }

    assertThat(present)
      .describedAs(
        "the binary API differs from %s; if that is meant, run this test with -Dapi.update=true and commit the file",
        agreed,
      ).isEqualTo(agreed.readText())
  }

  private fun dump(): String {
    val classes =
      File("target/classes")
        .walk()
        .filter { it.extension == "class" }
        .sorted()
        .toList()
    return StringBuilder()
      .also {
        AbiTools.getInstance().printJvmDump(it, classes, AbiFilters.EMPTY)
      }.toString()
  }
}
