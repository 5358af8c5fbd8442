// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

class ProgressLineTest {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final StringWriter screen = new StringWriter();
  private final AtomicInteger calls = new AtomicInteger();

  @Test
  void printsALineASecondAndOneAtTheEnd() {
    run(false, Mono.delay(Duration.ofMillis(1_500)).thenReturn("result"));

    assertThat(screen.toString().lines()).containsExactly("line 1", "line 2");
  }

  @Test
  void rewritesTheLineAndEndsIt() {
    run(true, Mono.delay(Duration.ofMillis(400)).thenReturn("result"));

    assertThat(calls).hasValueGreaterThan(1);
    assertThat(screen)
        .asString()
        .startsWith("\r\u001B[Kline 1\r\u001B[Kline 2")
        .endsWith("line " + calls + System.lineSeparator())
        .containsOnlyOnce(System.lineSeparator());
  }

  @Test
  void leavesTheLineWhenTheWorkFails() {
    assertThatIllegalStateException()
        .isThrownBy(() -> run(true, Mono.error(new IllegalStateException("broken"))))
        .withMessage("broken");

    assertThat(screen).hasToString(System.lineSeparator());
  }

  private void run(boolean rewriting, Mono<String> work) {
    ProgressLine progress = new ProgressLine(new PrintWriter(screen), rewriting);
    String result = progress.during(work, () -> "line " + calls.incrementAndGet()).block(LIMIT);
    assertThat(result).isEqualTo("result");
  }
}
