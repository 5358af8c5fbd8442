// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocumentTest {

  @TempDir Path folder;

  private Document document;

  @BeforeEach
  void open() {
    document = new Document(folder, List.of("first", "second"));
  }

  private static Section section(String name, double figure) {
    Table table = new Table(List.of("figure"));
    table.row(List.of("" + figure));
    return new Section(
        name,
        "The " + name + " one",
        "Text.",
        table,
        table,
        List.of(Target.atMost(name, figure, 5), Target.atLeast(name + " again", figure, 1)),
        List.of());
  }

  private String text() throws IOException {
    return Files.readString(folder.resolve("RESULTS.md"));
  }

  @Test
  void partsAreReplacedAndKeepTheirOrder() throws IOException {
    document.put(section("other", 1), "Today.");
    document.put(section("second", 2), "Today.");
    document.put(section("first", 3), "Today.");
    document.put(section("second", 4), "Tomorrow.");
    assertThat(text())
        .containsSubsequence("## The first one", "## The second one", "## The other one")
        .containsOnlyOnce("## The second one")
        .containsOnlyOnce("Tomorrow.")
        .doesNotContain("| 2.0 |");
  }

  @Test
  void theTargetsOfAllPartsStandTogetherAtTheTop() throws IOException {
    document.put(section("second", 2), "Today.");
    document.put(section("first", 9), "Today.");
    assertThat(text())
        .contains(
            """
            | first | at most 5 | 9 | **missed** by 80 % |
            | first again | at least 1 | 9 | met |
            | second | at most 5 | 2 | met |
            | second again | at least 1 | 2 | met |
            """);
  }

  @Test
  void remarksStayAndAreTakenOverAnew() throws IOException {
    Path remarks = Files.createDirectories(folder.resolve("notes")).resolve("first.md");
    Files.writeString(remarks, "It costs $1.");
    document.put(section("first", 1), "Today.");
    document.put(section("first", 2), "Tomorrow.");
    assertThat(text()).containsOnlyOnce("It costs $1.\n");
    Files.writeString(remarks, "It costs \\nothing.\n");
    document.rewrite();
    assertThat(text()).contains("It costs \\nothing.\n").doesNotContain("$1").contains("Tomorrow.");
  }
}
