// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisExtension.class)
class FaultProxyTest {

  private static final Duration SHORT = Duration.ofMillis(60);
  private static final Duration DELAY = Duration.ofMillis(80);

  private final RedisServer server;
  private FaultProxy proxy;
  private PlainClient client;

  FaultProxyTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void connect() throws IOException {
    proxy = FaultProxy.before(server);
    client = new PlainClient(proxy.port());
    assertThat(client.ask("PING")).isEqualTo("+PONG");
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    proxy.close();
  }

  private PlainClient reconnect() throws IOException {
    client.close();
    client = new PlainClient(proxy.port());
    return client;
  }

  @Test
  void withoutFaultsItIsTheServer() throws IOException {
    assertThat(proxy.uri()).isEqualTo("redis://127.0.0.1:" + proxy.port());
    assertThat(client.ask("SET key value")).isEqualTo("+OK");
    assertThat(server.command("GET", "key")).isEqualTo("value");
  }

  @Test
  void largeRepliesPassWhole() throws IOException {
    String large = "x".repeat(1 << 20);
    server.command("SET", "key", large);
    assertThat(client.ask("GET key")).isEqualTo("$" + large.length());
    assertThat(client.readLine()).isEqualTo(large);
    assertThat(client.ask("PING")).isEqualTo("+PONG");
  }

  @Test
  void connectionsAreCounted() throws IOException {
    try (PlainClient second = new PlainClient(proxy.port())) {
      assertThat(second.ask("PING")).isEqualTo("+PONG");
      assertThat(proxy.connections()).isEqualTo(2);
      assertThat(proxy.accepted()).isEqualTo(2);
    }
    await().until(() -> proxy.connections() == 1);
    assertThat(proxy.accepted()).isEqualTo(2);
  }

  @Test
  void whatAClientSentBeforeItClosedReachesTheServer() throws IOException {
    proxy.delayRequests(DELAY);
    client.send("SET key value");
    client.close();
    await().until(() -> "value".equals(server.command("GET", "key")));
    await().until(() -> clientsOfServer() == 1);
  }

  @Test
  void whatAServerSentBeforeItClosedReachesTheClient() throws IOException {
    proxy.delayReplies(DELAY);
    client.send("PING");
    client.send("QUIT");
    assertThat(client.readLine()).isEqualTo("+PONG");
    assertThat(client.readLine()).isEqualTo("+OK");
    assertThat(client.readLine()).isNull();
    await().until(() -> proxy.connections() == 0);
  }

  @RepeatedTest(20)
  void cutClosesBothSockets() throws IOException {
    proxy.cut();
    assertThat(proxy.connections()).isZero();
    assertThat(client.readLine()).isNull();
    await().until(() -> clientsOfServer() == 1);
    assertThat(reconnect().ask("PING")).isEqualTo("+PONG");
  }

  @RepeatedTest(20)
  void refusedAreOnlyNewConnectionsAndThePortStays() throws IOException {
    int port = proxy.port();
    proxy.refuse();
    proxy.refuse();
    assertThatThrownBy(() -> new PlainClient(port)).isInstanceOf(ConnectException.class);
    assertThat(client.ask("PING")).isEqualTo("+PONG");
    proxy.accept();
    proxy.accept();
    assertThat(proxy.port()).isEqualTo(port);
    assertThat(reconnect().ask("PING")).isEqualTo("+PONG");
  }

  @Test
  void withDroppedRepliesTheServerExecutesCommands() throws IOException {
    proxy.dropReplies(true);
    client.send("SET key value");
    await().until(() -> "value".equals(server.command("GET", "key")));
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
  }

  @Test
  void withDroppedRequestsTheServerReceivesNothing() throws IOException {
    proxy.dropRequests(true);
    client.send("SET key value");
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
    assertThat(server.command("GET", "key")).isNull();
    proxy.dropRequests(false);
    assertThat(client.readLine()).isNull();
    assertThat(reconnect().ask("GET key")).isEqualTo("$-1");
  }

  @Test
  void aConnectionThatLostRepliesIsCutAtTheEndAndAnotherIsNot() throws IOException {
    try (PlainClient idle = new PlainClient(proxy.port())) {
      assertThat(idle.ask("PING")).isEqualTo("+PONG");
      proxy.dropReplies(true);
      client.send("INCR count");
      await().until(() -> "1".equals(server.command("GET", "count")));
      assertThat(client.hearsNothingFor(SHORT)).isTrue();
      proxy.dropReplies(false);
      assertThat(client.readLine()).isNull();
      assertThat(idle.ask("INCR count")).isEqualTo(":2");
    }
  }

  @Test
  void theBlackHoleSwallowsBothWaysAndClosesNothing() throws IOException {
    proxy.blackHole(true);
    client.send("SET key value");
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
    assertThat(server.command("GET", "key")).isNull();
    assertThat(proxy.connections()).isEqualTo(1);
  }

  @Test
  void theBlackHoleHidesTheEndOfTheServer() throws IOException {
    proxy.blackHole(true);
    server.kill();
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
    server.restart();
    proxy.blackHole(false);
    assertThat(client.readLine()).isNull();
    assertThat(reconnect().ask("PING")).isEqualTo("+PONG");
  }

  @Test
  void theBlackHoleHidesTheEndOfTheClient() throws IOException {
    proxy.blackHole(true);
    client.close();
    await().until(() -> proxy.connections() == 0);
    assertThat(clientsOfServer()).isEqualTo(2);
    proxy.blackHole(false);
    await().until(() -> clientsOfServer() == 1);
  }

  @Test
  void newConnectionsHangInTheBlackHole() throws IOException {
    proxy.blackHole(true);
    reconnect().send("PING");
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
    proxy.blackHole(false);
    assertThat(client.readLine()).isNull();
    assertThat(reconnect().ask("PING")).isEqualTo("+PONG");
  }

  @Test
  void anIdleConnectionSurvivesTheBlackHole() throws IOException {
    proxy.blackHole(true);
    proxy.blackHole(false);
    assertThat(client.ask("PING")).isEqualTo("+PONG");
  }

  @Test
  void requestsAndRepliesAreDelayed() throws IOException {
    proxy.delayRequests(DELAY);
    long start = System.nanoTime();
    assertThat(client.ask("PING")).isEqualTo("+PONG");
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(DELAY.toNanos());
    proxy.delayReplies(DELAY);
    start = System.nanoTime();
    assertThat(client.ask("PING")).isEqualTo("+PONG");
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(2 * DELAY.toNanos());
    proxy.delayRequests(Duration.ZERO);
    proxy.delayReplies(Duration.ZERO);
    assertThat(client.ask("PING")).isEqualTo("+PONG");
  }

  @Test
  void aNegativeDelayIsRefused() {
    assertThatThrownBy(() -> proxy.delayReplies(Duration.ofMillis(-1)))
        .hasMessage("delay must be zero or more, was PT-0.001S");
  }

  @RepeatedTest(20)
  void theOrderIsKeptWhenDelaysChange() throws IOException {
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      proxy.delayRequests(Duration.ofMillis((i * 7) % 5));
      proxy.delayReplies(Duration.ofMillis((i * 3) % 4));
      client.send("ECHO " + i);
      expected.add("" + i);
    }
    List<String> received = new ArrayList<>();
    while (received.size() < expected.size()) {
      client.readLine();
      received.add(client.readLine());
    }
    assertThat(received).isEqualTo(expected);
  }

  @Test
  void allRepliesAreHeldUntilTheyAreReleased() throws IOException {
    HeldReplies held = proxy.holdReplies();
    assertThat(held.isHolding()).isFalse();
    client.send("INCR count");
    client.send("INCR count");
    await().until(held::isHolding);
    await().until(() -> "2".equals(server.command("GET", "count")));
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
    held.release();
    held.release();
    assertThat(held.isHolding()).isFalse();
    assertThat(client.readLine()).isEqualTo(":1");
    assertThat(client.readLine()).isEqualTo(":2");
    assertThat(client.ask("INCR count")).isEqualTo(":3");
  }

  @Test
  void theThirdReplyAndWhatFollowsIsHeld() throws IOException {
    try (HeldReplies held = proxy.holdReply(3);
        PlainClient other = new PlainClient(proxy.port())) {
      for (int i = 0; i < 4; i++) {
        client.send("INCR count");
      }
      assertThat(client.readLine()).isEqualTo(":1");
      assertThat(client.readLine()).isEqualTo(":2");
      await().until(held::isHolding);
      assertThat(client.hearsNothingFor(SHORT)).isTrue();
      await().until(() -> "4".equals(server.command("GET", "count")));
      assertThat(other.ask("GET count")).isEqualTo("$1");
      held.release();
      assertThat(client.readLine()).isEqualTo(":3");
      assertThat(client.readLine()).isEqualTo(":4");
    }
  }

  @Test
  void severalHoldsCountEachReplyOnce() throws IOException {
    HeldReplies first = proxy.holdReply(1);
    HeldReplies second = proxy.holdReply(2);
    for (int i = 0; i < 3; i++) {
      client.send("INCR count");
    }
    await().until(first::isHolding);
    first.release();
    assertThat(client.readLine()).isEqualTo(":1");
    await().until(second::isHolding);
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
    second.release();
    assertThat(client.readLine()).isEqualTo(":2");
    assertThat(client.readLine()).isEqualTo(":3");
  }

  @Test
  void pushMessagesAreNotCountedAsReplies() throws IOException {
    client.send("HELLO 3");
    client.send("PING");
    readUntil("+PONG");
    client.send("SUBSCRIBE channel");
    readUntil(":1");
    HeldReplies held = proxy.holdReply(1);
    server.command("PUBLISH", "channel", "hi");
    assertThat(client.readLine()).isEqualTo(">3");
    readUntil("hi");
    assertThat(held.isHolding()).isFalse();
    client.send("PING");
    await().until(held::isHolding);
    held.release();
    assertThat(client.readLine()).isEqualTo("+PONG");
  }

  @Test
  void aHeldReplyIsStillDeliveredAfterTheServerClosed() throws IOException {
    HeldReplies held = proxy.holdReplies();
    client.send("PING");
    await().until(held::isHolding);
    server.kill();
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
    held.release();
    assertThat(client.readLine()).isEqualTo("+PONG");
    assertThat(client.readLine()).isNull();
  }

  @Test
  void aReplyNumberBelowOneIsRefused() {
    assertThatThrownBy(() -> proxy.holdReply(0)).hasMessage("number must be 1 or more, was 0");
  }

  @Test
  void resetEndsAllFaults() throws IOException {
    proxy.delayRequests(Duration.ofHours(1));
    proxy.delayReplies(Duration.ofHours(1));
    HeldReplies held = proxy.holdReplies();
    proxy.refuse();
    client.send("PING");
    proxy.reset();
    assertThat(client.readLine()).isEqualTo("+PONG");
    assertThat(held.isHolding()).isFalse();
    assertThat(reconnect().ask("PING")).isEqualTo("+PONG");
    proxy.dropReplies(true);
    proxy.dropRequests(true);
    proxy.blackHole(true);
    client.send("PING");
    assertThat(client.hearsNothingFor(SHORT)).isTrue();
    proxy.reset();
    assertThat(client.readLine()).isNull();
    assertThat(reconnect().ask("PING")).isEqualTo("+PONG");
  }

  @Test
  void withoutAServerTheConnectionEndsAtOnce() throws IOException {
    server.kill();
    assertThat(reconnect().readLine()).isNull();
  }

  @Test
  void severalProxiesOfOneServerAreIndependent() throws IOException {
    try (FaultProxy second = FaultProxy.before(server.host(), server.port());
        PlainClient other = new PlainClient(second.port())) {
      proxy.blackHole(true);
      proxy.cut();
      assertThat(other.ask("PING")).isEqualTo("+PONG");
    }
  }

  @Test
  void newConnectionsLeadWhereItSaysAndOldOnesStay() throws IOException {
    try (RedisServer other = RedisServer.start()) {
      proxy.leadTo(other);

      try (PlainClient second = new PlainClient(proxy.port())) {
        assertThat(second.ask("SET key new")).isEqualTo("+OK");
      }
      assertThat(client.ask("SET key old")).isEqualTo("+OK");
      assertThat(other.command("GET", "key")).isEqualTo("new");
      assertThat(server.command("GET", "key")).isEqualTo("old");
    }
  }

  @RepeatedTest(20)
  void closeIsQuickFreesThePortAndIsIdempotent() throws IOException {
    proxy.holdReplies();
    client.send("PING");
    long start = System.nanoTime();
    proxy.close();
    proxy.close();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
    assertThat(client.readLine()).isNull();
    try (ServerSocket free =
        new ServerSocket(proxy.port(), 1, InetAddress.getByName("127.0.0.1"))) {
      assertThat(free.isBound()).isTrue();
    }
    assertThatThrownBy(proxy::accept)
        .hasMessage("The proxy on port " + proxy.port() + " is closed");
  }

  @Test
  void itsThreadsAreDaemonsWithNamesOfTheirOwn() {
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().startsWith("monolock-fault-proxy-"))
        .isNotEmpty()
        .allMatch(Thread::isDaemon);
  }

  private void readUntil(String last) throws IOException {
    while (!last.equals(client.readLine())) {
      // an irrelevant part of the reply
    }
  }

  /** Counts the control connection of the test, too. */
  private long clientsOfServer() {
    return ((String) server.command("CLIENT", "LIST")).lines().count();
  }
}
