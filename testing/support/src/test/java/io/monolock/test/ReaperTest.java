// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes and files of a JVM are gone soon after it ends, in any way. */
@Tag("thorough")
class ReaperTest {

  @TempDir private Path temporary;

  private Process jvm;
  private BufferedReader output;
  private List<Integer> ports;

  /**
   * Runs in the other JVM: two servers, one of them paused, one restarted, and one closed; and
   * others.
   */
  public static final class OtherJvm {

    private OtherJvm() {}

    public static void main(String[] arguments) throws IOException {
      RedisServer.start().close();
      RedisServer restarted = RedisServer.builder().persistent().start();
      restarted.restart();
      RedisServer paused = RedisServer.start();
      paused.pause();
      RedisMasters masters = RedisMasters.startBehindProxies(2);
      masters.node(0).server().pause();
      RedisSentinels sentinels = RedisSentinels.start();
      System.out.println(restarted.port());
      System.out.println(paused.port());
      System.out.println(masters.node(0).server().port());
      System.out.println(masters.node(0).port());
      System.out.println(sentinels.master().port());
      System.out.println(sentinels.sentinels().get(0).port());
      System.in.read();
      System.exit(0);
    }
  }

  @BeforeEach
  void startOtherJvm() throws IOException {
    jvm =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                OtherJvm.class.getName())
            .redirectError(Redirect.INHERIT)
            .start();
    output = jvm.inputReader();
    ports = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      ports.add(Integer.valueOf(output.readLine()));
    }
    assertThat(redisFiles()).hasSizeGreaterThanOrEqualTo(2);
    assertThat(ports).noneMatch(ReaperTest::isUnused);
  }

  @AfterEach
  void endOtherJvm() throws IOException {
    jvm.destroyForcibly();
    output.close();
  }

  @Test
  void serversEndWhenTheJvmIsKilled() {
    jvm.destroyForcibly();
    awaitNothingLeft();
  }

  @Test
  void serversEndWhenTheTerminalInterruptsAllAndTheJvmIsKilled() throws Exception {
    String shell = shellOf(jvm);
    for (String signal : List.of("INT", "TERM", "HUP", "QUIT")) {
      assertThat(new ProcessBuilder("sh", "-c", "kill -" + signal + " " + shell).start().waitFor())
          .isZero();
    }
    jvm.destroyForcibly();
    awaitNothingLeft();
  }

  @Test
  void serversEndWhenTheJvmIsTerminated() {
    jvm.destroy();
    awaitNothingLeft();
  }

  @Test
  void serversHaveEndedWhenTheJvmHasExited() throws Exception {
    jvm.getOutputStream().close();
    assertThat(jvm.waitFor()).isZero();
    assertThat(ports).allMatch(ReaperTest::isUnused);
    assertThat(redisFiles()).isEmpty();
  }

  private static String shellOf(Process jvm) {
    return jvm.children()
        .filter(child -> child.info().command().orElse("").matches(".*/(sh|dash|bash|busybox)"))
        .map(child -> Long.toString(child.pid()))
        .findFirst()
        .orElseThrow();
  }

  private void awaitNothingLeft() {
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> {
              assertThat(ports).allMatch(ReaperTest::isUnused);
              assertThat(redisFiles()).isEmpty();
            });
  }

  private static boolean isUnused(int port) {
    return Ports.isFree(port);
  }

  private List<Path> redisFiles() throws IOException {
    try (Stream<Path> files = Files.list(temporary)) {
      return files.filter(file -> file.getFileName().toString().startsWith("monolock")).toList();
    }
  }
}
