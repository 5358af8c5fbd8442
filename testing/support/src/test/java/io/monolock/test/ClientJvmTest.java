// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ClientJvmTest {

  private final ClientJvm jvm = ClientJvm.start(Echo.class, "hello", "wörld");

  /** Runs in the other JVM: prints its arguments, then each line that it reads, until "end". */
  public static final class Echo {

    private Echo() {}

    public static void main(String[] arguments) throws IOException {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
      System.out.println(arguments.length);
      BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      String line = input.readLine();
      while (!"end".equals(line)) {
        System.out.println(line);
        line = input.readLine();
      }
      System.exit(3);
    }
  }

  /** Runs in another JVM: prints a system property. */
  public static final class Options {

    private Options() {}

    public static void main(String[] arguments) {
      System.out.println(System.getProperty("word"));
    }
  }

  @AfterEach
  void close() {
    jvm.close();
  }

  @Test
  void itIsStartedWithOptions() {
    try (ClientJvm other = ClientJvm.start(List.of("-Dword=wide"), Options.class)) {
      assertThat(other.readLine()).isEqualTo("wide");
    }
  }

  @Test
  void linesGoInAndOutUntilItEnds() {
    assertThat(jvm.readLine()).isEqualTo("2");
    jvm.send("one");
    jvm.send("two");
    assertThat(jvm.readLine()).isEqualTo("one");
    assertThat(jvm.readLine()).isEqualTo("two");
    assertThat(ProcessHandle.of(jvm.pid())).get().matches(ProcessHandle::isAlive);
    jvm.send("end");
    assertThat(jvm.awaitEnd()).isEqualTo(3);
    assertThat(jvm.isRunning()).isFalse();
    assertThat(jvm.readLine()).isEqualTo("hook");
    assertThatThrownBy(jvm::readLine).hasMessageContaining("has ended");
    assertThatThrownBy(jvm::readLine).hasMessageContaining("has ended");
  }

  @Test
  void aPausedJvmPrintsNothingUntilItIsResumed() {
    assertThat(jvm.readLine()).isEqualTo("2");
    jvm.pause();
    jvm.send("one");
    assertThatThrownBy(() -> jvm.readLine(Duration.ofMillis(200)))
        .hasMessage("The JVM must print a line within PT0.2S, did not");
    assertThat(jvm.isRunning()).isTrue();
    jvm.resume();
    assertThat(jvm.readLine()).isEqualTo("one");
    jvm.pause();
    jvm.terminate();
    assertThat(jvm.readLine()).isEqualTo("hook");
    assertThat(jvm.awaitEnd()).isEqualTo(143);
  }

  @Test
  void aPausedJvmCanBeKilled() {
    assertThat(jvm.readLine()).isEqualTo("2");
    jvm.pause();
    jvm.kill();
    assertThat(jvm.isRunning()).isFalse();
    assertThatThrownBy(jvm::readLine).hasMessageContaining("has ended");
    await()
        .untilAsserted(
            () ->
                assertThatThrownBy(() -> jvm.send("one")).isInstanceOf(UncheckedIOException.class));
  }
}
