// SPDX-License-Identifier: Apache-2.0
package io.monolock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the published adapter for Kotlin asks for must not be newer than what it supports. */
class KotlinVersionsTest {

  private final Pom parent = Pom.ofModule(".");

  /** As it is published. */
  private final Pom adapter =
      Pom.of(Pom.ROOT.resolve("kotlin-coroutines-adapter/.flattened-pom.xml"));

  private String versionOf(String artifact) {
    return adapter.text(
        "/project/dependencies/dependency[artifactId='%s']/version".formatted(artifact));
  }

  @Test
  void oldestVersionsThatAreSupportedAreAskedFor() {
    String language = parent.text("/project/properties/kotlin.language");

    assertThat(versionOf("kotlin-stdlib")).isEqualTo(language + ".0");
    assertThat(versionOf("kotlinx-coroutines-reactor")).startsWith("1.10.");
  }
}
