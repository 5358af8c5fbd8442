// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Another process takes the port between the choice and the start. */
class PortRaceTest {

  private RedisServer faster;
  private ServerFiles files;
  private Launcher launcher;

  @BeforeEach
  void start() {
    faster = RedisServer.start();
    files = ServerFiles.create();
    launcher = new Launcher(RedisBinary.shared(), files, List.of(), List.of(), Transport.PLAIN);
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

  @ParameterizedTest
  @ValueSource(strings = {"7.0", "6.2"})
  void aTakenBusIsATakenPort(String version) throws IOException {
    int port = Ports.freeWithBus();
    InetAddress here = InetAddress.getLoopbackAddress();
    RedisServer.Builder node =
        RedisServer.builder().version(version).port(port).config("cluster-enabled", "yes");
    try (ServerSocket other = new ServerSocket(Ports.ofBus(port), 1, here)) {
      assertThat(other.isBound()).isTrue();
      assertThatThrownBy(node::start).isInstanceOf(PortTakenException.class);
    }
  }

  @Test
  void aPortWhoseBusIsTakenIsNotFreeForANode() throws IOException {
    int port = Ports.freeWithBus();
    try (ServerSocket other =
        new ServerSocket(Ports.ofBus(port), 1, InetAddress.getLoopbackAddress())) {
      assertThat(other.isBound()).isTrue();
      assertThat(Ports.isFreeWithBus(port)).isFalse();
    }
    assertThat(Ports.isFreeWithBus(port)).isTrue();
  }

  @Test
  void aNodeTakesTheNextPort() {
    ServerNode node =
        ServerNode.start(
            RedisServer.builder(),
            true,
            new ServerNode.Announcement() {
              private boolean isFirst = true;

              @Override
              public void add(RedisServer.Builder builder, int ownPort, int knownPort) {
                if (isFirst) {
                  isFirst = false;
                  builder.config("port", "" + faster.port());
                }
              }
            });
    assertThat(node.server().command("PING")).isEqualTo("PONG");
    node.close();
  }
}
