// SPDX-License-Identifier: Apache-2.0
package io.monolock.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What documents and javadoc show is code that the {@code Snippets} of a module run. */
class SnippetsTest {

  private static final Path ROOT = Path.of("..");
  private static final Path README = ROOT.resolve("README.md");
  private static final Pattern CODE_BLOCK =
      Pattern.compile("```(?:java|kotlin)\n(.*?)```", Pattern.DOTALL);
  private static final Pattern SHELL_BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final Pattern JAVADOC_BLOCK =
      Pattern.compile("<pre>\\{@code\n(.*?)\\n}</pre>", Pattern.DOTALL);

  static Stream<String> shownCode() {
    List<String> comments =
        files(
                "\\.\\./(core|quorum|micrometer|[a-z-]+-adapter|[a-z-]+-starter)/src/main/.*\\.(java|kt)")
            .map(source -> read(source).replaceAll("(?m)^ *\\* ?", ""))
            .flatMap(text -> Stream.concat(blocks(JAVADOC_BLOCK, text), blocks(CODE_BLOCK, text)))
            .toList();
    List<String> documents =
        files("\\.\\./(README|docs/.*)\\.md")
            .flatMap(text -> blocks(CODE_BLOCK, read(text)))
            .toList();
    assertThat(comments).isNotEmpty();
    assertThat(documents).isNotEmpty();
    return Stream.concat(comments.stream(), documents.stream());
  }

  @ParameterizedTest
  @MethodSource("shownCode")
  void shownCodeIsCompiledAndRun(String code) {
    List<String> imports = bare(code).lines().filter(SnippetsTest::isImport).toList();
    String statements =
        bare(code).lines().filter(line -> !isImport(line)).collect(Collectors.joining("\n"));

    assertThat(files(".*/src/test/.*/Snippets\\.(java|kt)").map(source -> bare(read(source))))
        .anyMatch(
            source -> source.contains(statements) && source.lines().toList().containsAll(imports));
  }

  private static boolean isImport(String line) {
    return line.startsWith("import ");
  }

  @Test
  void readmeBeginsWithTheRunAndTheTestCommand() {
    List<String> commands =
        blocks(SHELL_BLOCK, read(README))
            .flatMap(String::lines)
            .filter(line -> line.startsWith("mvn "))
            .toList();

    assertThat(commands.get(0)).contains("exec:java").doesNotContain("<", "...");
    assertThat(commands.get(1)).endsWith("verify").doesNotContain("<", "...");
    assertThat(read(Path.of("../.ci/run"))).contains("\n" + commands.get(1) + "\n");
  }

  private static Stream<Path> files(String pattern) {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files.filter(file -> file.toString().matches(pattern)).toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> blocks(Pattern pattern, String text) {
    return pattern.matcher(text).results().map((MatchResult found) -> found.group(1));
  }

  /** The lines without what the formatter may change. */
  private static String bare(String code) {
    return code.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty())
        .collect(Collectors.joining("\n"));
  }

  private static String read(Path path) {
    try {
      return Files.readString(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
