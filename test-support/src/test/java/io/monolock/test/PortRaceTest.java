// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Another process takes the port between the choice and the start. */
class PortRaceTest {

  private RedisServer faster;
  private ServerFiles files;
  private Launcher launcher;

  @BeforeEach
  void start() {
    faster = RedisServer.start();
    files = ServerFiles.create();
    launcher = new Launcher(RedisBinary.shared(), files, List.of(), List.of());
  }

  @AfterEach
  void close() {
    files.delete();
    faster.close();
  }

  @Test
  void theNextPortIsTaken() {
    int free = Ports.free();
    PrimitiveIterator.OfInt ports = IntStream.of(faster.port(), faster.port(), free).iterator();
    Launcher.Running running = launcher.launchOnOneOf(ports::nextInt);
    assertThat(running.port()).isEqualTo(free);
    running.process().kill();
  }

  @Test
  void aServerOfAnotherProcessIsNotMistakenForTheOwn() {
    assertThatThrownBy(() -> launcher.launch(faster.port()))
        .hasMessageContaining("ended before it answered");
  }

  @Test
  void theSearchEnds() {
    assertThatThrownBy(() -> launcher.launchOnOneOf(faster::port))
        .hasMessageContaining("Failed listening on port " + faster.port());
  }
}
