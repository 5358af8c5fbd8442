// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(RedisExtension.class)
class CommandRecorderTest {

  private final RedisServer server;
  private CommandRecorder recorder;
  private PlainClient client;

  CommandRecorderTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void start() throws IOException {
    recorder = CommandRecorder.of(server);
    client = new PlainClient(server.port());
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    recorder.close();
  }

  private List<List<String>> words(List<RecordedCommand> commands) {
    return commands.stream().map(RecordedCommand::words).toList();
  }

  @RepeatedTest(20)
  void whatWasExecutedIsThereAtOnce() throws IOException {
    for (int i = 0; i < 20; i++) {
      client.ask("INCR count");
      assertThat(recorder.commands("incr")).hasSize(i + 1);
    }
  }

  @Test
  void aCommandHasItsTimeAndConnection() throws IOException {
    Instant before = Instant.now().minusSeconds(1);
    client.ask("SET a 1");
    try (PlainClient other = new PlainClient(server.port())) {
      other.ask("SET b 2");
    }
    List<RecordedCommand> sets = recorder.commands("SET");
    assertThat(words(sets)).containsExactly(List.of("SET", "a", "1"), List.of("SET", "b", "2"));
    assertThat(sets.get(0).time()).isBetween(before, Instant.now().plusSeconds(1));
    assertThat(sets.get(0).connection()).startsWith("127.0.0.1:");
    assertThat(sets.get(0).connection()).isNotEqualTo(sets.get(1).connection());
    assertThat(sets).noneMatch(RecordedCommand::isOfScript);
  }

  @Test
  void commandsOfScriptsAreMarked() throws IOException {
    client.ask("EVAL \"return redis.call('INCR', KEYS[1])\" 1 key");
    assertThat(recorder.commands())
        .extracting(RecordedCommand::name)
        .containsExactly("eval", "incr");
    assertThat(recorder.commands())
        .extracting(RecordedCommand::isOfScript)
        .containsExactly(false, true);
  }

  @Test
  void commandsOfTheTestItselfAreLeftOut() {
    server.command("SET", "key", "value");
    assertThat(recorder.commands()).isEmpty();
  }

  @Test
  void aMarkSeparatesBeforeAndAfter() throws IOException {
    client.ask("SET a 1");
    CommandRecorder.Mark mark = recorder.mark();
    assertThat(recorder.since(mark)).isEmpty();
    client.ask("GET a");
    client.ask("SET a 2");
    assertThat(words(recorder.since(mark)))
        .containsExactly(List.of("GET", "a"), List.of("SET", "a", "2"));
    assertThat(words(recorder.since(mark, "set"))).containsExactly(List.of("SET", "a", "2"));
    assertThat(recorder.commands()).hasSize(3);
  }

  @Test
  void whatWasRecordedOutlivesTheServerAndTheRecorder() throws IOException {
    client.ask("SET a 1");
    assertThat(recorder.commands()).hasSize(1);
    server.kill();
    assertThat(recorder.commands()).hasSize(1);
    recorder.close();
    assertThat(recorder.commands()).hasSize(1);
  }

  @Test
  void anyBytesAreReadAsTheyAre() {
    String words = "a \"quoted\" \\ back\n\r\t\u0007\b wörd [0 lua]";
    try (PlainConnection plain = PlainConnection.to(server)) {
      plain.send("ECHO", words);
      assertThat(plain.readLine()).startsWith("$");
      assertThat(words(recorder.commands("echo"))).containsExactly(List.of("ECHO", words));
    }
  }

  @Test
  void anEmptyWordIsAWord() throws IOException {
    client.ask("SET a \"\"");
    assertThat(words(recorder.commands("set"))).containsExactly(List.of("SET", "a", ""));
  }

  @Test
  void theWaitForAllEndsIfTheServerIsBusy() throws IOException {
    client.ask("SET a 1");
    assertThat(recorder.commands()).hasSize(1);
    try (BusyScript script = server.keepBusy()) {
      long start = System.nanoTime();
      assertThat(recorder.commands("set")).hasSize(1);
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
      assertThat(script).isNotNull();
    }
  }
}
