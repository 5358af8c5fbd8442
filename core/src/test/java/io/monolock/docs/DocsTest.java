// SPDX-License-Identifier: Apache-2.0
package io.monolock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The documents name tests that exist, and link to files that exist. */
class DocsTest {

  private static final Path ROOT = Path.of("..");
  private static final Path DOCS = ROOT.resolve("docs");
  private static final Pattern NAMED_TEST = Pattern.compile("`([A-Z]\\w+)#(\\w+)`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#]+)\\)");

  private static final Pattern ID = Pattern.compile("B\\d+");

  private static final Map<String, String> TESTS = testSources();

  static Stream<Path> documents() throws IOException {
    try (Stream<Path> docs = Files.list(DOCS)) {
      List<Path> all = Stream.concat(docs, Stream.of(ROOT.resolve("README.md"))).toList();
      return all.stream().filter(path -> path.toString().endsWith(".md"));
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void namedTestsExist(Path document) {
    assertThat(
            NAMED_TEST
                .matcher(read(document))
                .results()
                .filter(named -> !exists(named.group(1), named.group(2)))
                .map(MatchResult::group))
        .isEmpty();
  }

  private static boolean exists(String type, String method) {
    String source = TESTS.getOrDefault(type, "");
    return source.contains("void " + method + "(")
        || source.contains("fun " + method + "(")
        || source.contains("ArchRule " + method + " =");
  }

  @ParameterizedTest
  @MethodSource("documents")
  void linkedFilesExist(Path document) {
    assertThat(
            LINK.matcher(read(document))
                .results()
                .map(link -> link.group(1))
                .filter(link -> !Files.exists(document.resolveSibling(link))))
        .isEmpty();
  }

  @Test
  void everyFieldFailureIsShownByATestThatCarriesItsId() {
    List<String> unnamed =
        read(DOCS.resolve("field-failures.md"))
            .lines()
            .filter(line -> line.startsWith("| B") && line.contains("`"))
            .flatMap(line -> ID.matcher(line.split("\\|")[1]).results().map(MatchResult::group))
            .filter(id -> TESTS.values().stream().noneMatch(source -> source.contains(id)))
            .toList();

    assertThat(unnamed).isEmpty();
  }

  @Test
  void everyGuaranteeIsShownByTests() {
    String[] guarantees = read(DOCS.resolve("guarantees.md")).split("\n## ");

    assertThat(guarantees).hasSize(15);
    for (int i = 1; i < guarantees.length; i++) {
      assertThat(guarantees[i]).startsWith("G" + i + " ").contains("**Shown by:** `");
    }
  }

  private static Map<String, String> testSources() {
    try (Stream<Path> files = Files.walk(ROOT)) {
      Map<String, String> sources = new TreeMap<>();
      files
          .filter(path -> path.toString().matches(".*/src/test/(java|kotlin)/.*\\.(java|kt)"))
          .forEach(path -> sources.merge(simpleName(path), read(path), String::concat));
      return sources;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String simpleName(Path path) {
    return path.getFileName().toString().replaceFirst("\\.(java|kt)$", "");
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
