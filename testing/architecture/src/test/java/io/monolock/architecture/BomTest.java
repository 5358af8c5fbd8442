// SPDX-License-Identifier: Apache-2.0
package io.monolock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What an application gets that imports the bom. */
class BomTest {

  private static final String MANAGED = "/project/dependencyManagement/dependencies/dependency";

  /** As it is published. */
  private final Pom bom = Pom.of(Pom.ROOT.resolve("bom/.flattened-pom.xml"));

  @Test
  void importingMovesNoVersionOfOtherProjects() {
    assertThat(bom.texts(MANAGED + "/groupId")).isNotEmpty().containsOnly("io.monolock");
    assertThat(bom.texts(MANAGED + "/scope")).isEmpty();
    assertThat(bom.texts("/project/parent")).isEmpty();
    assertThat(bom.texts("/project/properties")).isEmpty();
    assertThat(bom.texts("/project/dependencies")).isEmpty();
  }

  @Test
  void managesEveryPublishedArtifactAndNoOther() {
    List<String> published =
        Pom.publishedModules().stream()
            .filter(folder -> !folder.equals("bom"))
            .map(folder -> Pom.ofModule(folder).artifact())
            .toList();

    assertThat(bom.texts(MANAGED + "/artifactId"))
        .containsExactlyInAnyOrderElementsOf(published)
        .hasSize(7);
  }

  @Test
  void managesTheVersionThatItHas() {
    assertThat(bom.text("/project/version")).matches("\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
    assertThat(bom.texts(MANAGED + "/version")).containsOnly("${project.version}");
  }
}
