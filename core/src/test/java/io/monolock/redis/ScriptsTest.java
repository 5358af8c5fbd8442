// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.RedisCommandExecutionException;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts as they are, without the Java code that calls them correctly. */
@ExtendWith(RedisExtension.class)
class ScriptsTest extends StoreOnRedis {

  private final RedisServer server;

  ScriptsTest(RedisServer server) {
    this.server = server;
  }

  private static String text(String script) {
    try (InputStream resource = ScriptsTest.class.getResourceAsStream(script + ".lua")) {
      return new String(resource.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Object eval(String script, List<String> keys, String... args) {
    List<String> words = new ArrayList<>(List.of("EVAL", text(script), "" + keys.size()));
    words.addAll(keys);
    words.addAll(List.of(args));
    return server.command(words.toArray(String[]::new));
  }

  private void assertError(String script, List<String> keys, String... args) {
    assertThatExceptionOfType(RedisCommandExecutionException.class)
        .isThrownBy(() -> eval(script, keys, args));
  }

  @ParameterizedTest
  @DisplayName("B50 B51: a ttl that is none is an error of the script, and deletes nothing")
  @ValueSource(
      strings = {"0", "-1", "abc", "", "1.5", "1e3", "inf", "nan", " 1", "99999999999999999999"})
  void aTimeToLiveThatIsNoneIsRefusedAndNothingIsTouched(String ttl) {
    server.command("SET", "lock:a", ALICE, "PX", "60000");
    assertError("extend", List.of("lock:a"), ALICE, ttl);
    assertError("acquire", List.of("lock:a"), ALICE, "", ttl, "0", "0");
    assertError("acquire", List.of("lock:a", "lock:a:fence"), ALICE, "", ttl, "1", "0");
    assertError("acquire", List.of("lock:b"), ALICE, "", ttl, "0", "0");
    assertError("acquire", List.of("lock:a", "lock:b"), ALICE, "", ttl, "0", "0");
    assertError("transfer", List.of("lock:a"), ALICE, BOB, "", ttl, "0");
    assertThat(server.commandAsString("GET", "lock:a")).isEqualTo(ALICE);
    assertThat(server.commandAsLong("PTTL", "lock:a")).isBetween(40_000L, 60_000L);
    assertThat(server.commandAsLong("EXISTS", "lock:b")).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "abc", "", "1.5", "99999999999999999999"})
  void aTimeToKeepThatIsNoneIsRefusedAndNothingIsTouched(String keepFor) {
    server.command("SET", "lock:a", ALICE, "PX", "60000");
    assertError("release", List.of("lock:a"), ALICE, keepFor);
    assertThat(server.commandAsLong("PTTL", "lock:a")).isBetween(40_000L, 60_000L);
  }

  @Test
  void theAnswersAreAsTheScriptsSay() {
    List<String> a = List.of("lock:a");
    List<String> ab = List.of("lock:a", "lock:b");
    assertThat(eval("acquire", a, ALICE, "", "60000", "0", "0")).isEqualTo(2L);
    assertThat(eval("acquire", a, ALICE, "", "60000", "0", "0")).isEqualTo(3L);
    assertThat(eval("acquire", ab, ALICE, "", "60000", "0", "0")).isEqualTo(3L);
    assertThat((Long) eval("acquire", ab, BOB, "", "60000", "0", "0"))
        .isBetween(-60_001L, -40_000L);
    server.command("PERSIST", "lock:b");
    assertThat(eval("acquire", ab, BOB, "", "60000", "0", "0")).isEqualTo(0L);
    assertThat(eval("transfer", ab, BOB, ALICE, "", "60000", "0")).isEqualTo(0L);
    assertThat(eval("transfer", ab, ALICE, BOB, "", "60000", "0")).isEqualTo(1L);
    assertThat(eval("force_release", a)).isEqualTo(1L);
    assertThat(eval("inspect", a, "9").toString()).isEqualTo("[-2]");
  }

  @Test
  void lookingTakesNothing() {
    List<String> ab = List.of("lock:a", "lock:b");
    assertThat(eval("peek", ab, ALICE)).isEqualTo(1L);
    assertThat(server.commandAsLong("DBSIZE")).isZero();
    server.command("SET", "lock:a", ALICE, "PX", "60000");
    assertThat(eval("peek", ab, ALICE)).isEqualTo(1L);
    assertThat((Long) eval("peek", ab, BOB)).isBetween(-60_001L, -40_000L);
    server.command("SET", "lock:b", BOB);
    assertThat(eval("peek", ab, ALICE)).isEqualTo(0L);
  }

  @Test
  void theFirstLineOfEachTellsKeysAndArguments() {
    for (String script : all()) {
      List<String> lines = text(script).lines().toList();
      assertThat(lines.get(0)).matches("-- (no )?KEYS[ ,].*");
      assertThat(lines.get(1)).startsWith("-- ");
      assertThat(text(script)).doesNotContain("unpack");
    }
  }

  private static List<String> all() {
    try (Stream<Path> files =
        Files.list(Path.of(ScriptsTest.class.getResource("acquire.lua").toURI()).getParent())) {
      List<String> names =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".lua"))
              .map(name -> name.replace(".lua", ""))
              .toList();
      assertThat(names).contains("acquire", "release", "version");
      return names;
    } catch (IOException | URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static final Pattern CALL = Pattern.compile("redis\\.p?call\\(([^)]*)\\)?");
  private static final Pattern ALLOWED =
      Pattern.compile("'(TIME|GETEX)'|'INFO', 'replication'|'[A-Z]+', KEYS\\[(\\d|i)\\](, .*)?");

  /** Some services read scripts, and refuse those whose calls hide which keys they are for. */
  @Test
  void eachCallNamesItsCommandAndItsKey() {
    for (String script : all()) {
      String code = text(script).replaceAll("--.*", "");
      assertThat(code).as(script).doesNotContain("redis[", "redis.call,", "redis.pcall,");
      assertThat(CALL.matcher(code).results().map(call -> call.group(1)))
          .as(script)
          .isNotEmpty()
          .allMatch(ALLOWED.asMatchPredicate());
    }
  }
}
