// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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

/** What README and javadoc show is code that is compiled and run in {@link Snippets}. */
class SnippetsTest extends Snippets {

  private static final Path README = Path.of("../README.md");
  private static final Path MAIN = Path.of("src/main/java");
  private static final Path SNIPPETS = Path.of("src/test/java/io/monolock/Snippets.java");
  private static final Pattern JAVA_BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern SHELL_BLOCK = Pattern.compile("```sh\n(.*?)```", Pattern.DOTALL);
  private static final Pattern JAVADOC_BLOCK =
      Pattern.compile("<pre>\\{@code\n(.*?)\\n *\\* *}</pre>", Pattern.DOTALL);

  SnippetsTest(io.monolock.test.RedisServer server) {
    super(server);
  }

  static Stream<String> shownCode() throws IOException {
    try (Stream<Path> sources = Files.walk(MAIN)) {
      List<String> javadoc =
          sources
              .filter(path -> path.toString().endsWith(".java"))
              .flatMap(path -> blocks(JAVADOC_BLOCK, read(path)))
              .map(block -> block.replaceAll("(?m)^ *\\* ?", ""))
              .toList();
      List<String> readme = blocks(JAVA_BLOCK, read(README)).toList();
      assertThat(javadoc).isNotEmpty();
      assertThat(readme).isNotEmpty();
      return Stream.concat(javadoc.stream(), readme.stream());
    }
  }

  @ParameterizedTest
  @MethodSource("shownCode")
  void shownCodeIsCompiledAndRun(String code) {
    assertThat(bare(read(SNIPPETS))).contains(bare(code));
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
      throw new java.io.UncheckedIOException(e);
    }
  }
}
