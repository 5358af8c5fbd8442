// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The extension at the end of a test and of a class, seen by running other classes. */
class RedisExtensionLifecycleTest {

  private static RedisServer used;

  private final PrintStream original = System.err;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  @BeforeEach
  void capture() {
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() throws IOException {
    System.setErr(original);
    Files.deleteIfExists(used.logFile());
  }

  @Test
  void aFailedTestShowsAndKeepsTheLog() {
    run(Failing.class);
    Path kept = used.logFile();
    assertThat(kept).content().contains("Ready to accept connections");
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("fails(RedisServer) failed.", "port " + used.port(), kept.toString())
        .contains("Ready to accept connections");
  }

  @Test
  void theServerOfAFailedTestIsClosed() {
    run(Failing.class);
    assertThat(used.isRunning()).isFalse();
  }

  @Test
  void aFailureInBeforeAllShowsTheLog() {
    run(FailingEarly.class);
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("FailingEarly failed.");
  }

  @Test
  void aPassedTestShowsAndKeepsNothing() {
    run(Passing.class);
    assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(used.logFile()).doesNotExist();
    assertThat(used.isRunning()).isFalse();
  }

  @Test
  void anAbortedTestShowsNothing() {
    run(Aborted.class);
    assertThat(printed.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  private static void run(Class<?> tests) {
    EngineTestKit.engine("junit-jupiter").selectors(selectClass(tests)).execute();
  }

  @ExtendWith(RedisExtension.class)
  static class Failing {
    @Test
    void fails(RedisServer server) {
      used = server;
      fail("on purpose");
    }
  }

  @ExtendWith(RedisExtension.class)
  static class FailingEarly {
    @BeforeAll
    static void fails(RedisServer server) {
      used = server;
      fail("on purpose");
    }

    @Test
    void neverRuns() {}
  }

  @ExtendWith(RedisExtension.class)
  static class Passing {
    @Test
    void passes(RedisServer server) {
      used = server;
    }
  }

  @ExtendWith(RedisExtension.class)
  static class Aborted {
    @Test
    void isAborted(RedisServer server) {
      used = server;
      Assumptions.abort("on purpose");
    }
  }
}
