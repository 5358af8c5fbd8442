// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A user of Redis as {@code docs/operations.md} shows it.
 *
 * @param line the command that creates the user
 */
record DocumentedUser(String line) {

  private static final Path DOCUMENT = Path.of("../docs/operations.md");
  private static final String COMMAND = "ACL SETUSER ";
  private static final String PASSWORD = "secret";

  static DocumentedUser named(String name) {
    try {
      return Files.readString(DOCUMENT)
          .lines()
          .filter(line -> line.startsWith(COMMAND + name + " on >" + PASSWORD + " "))
          .findFirst()
          .map(DocumentedUser::new)
          .orElseThrow(() -> new AssertionError(DOCUMENT + " shows no user " + name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> words() {
    return List.of(line.split(" "));
  }

  String name() {
    return words().get(2);
  }

  /** The commands that the user may run, such as {@code +set}. */
  List<String> commands() {
    return words().stream().filter(word -> word.startsWith("+")).toList();
  }

  DocumentedUser without(String right) {
    List<String> fewer = new ArrayList<>(words());
    if (!fewer.remove(right)) {
      throw new AssertionError(line + " has no " + right);
    }
    return new DocumentedUser(String.join(" ", fewer));
  }

  /** Creates the user, instead of one of that name. */
  void createOn(RedisServer server) {
    deleteFrom(server);
    server.command(words().toArray(String[]::new));
  }

  void deleteFrom(RedisServer server) {
    server.command("ACL", "DELUSER", name());
  }

  /** The same server, for this user. */
  RedisURI at(String uri) {
    RedisURI server = RedisURI.create(uri);
    return RedisURI.builder(server)
        .withAuthentication(name(), PASSWORD)
        .withTimeout(Duration.ofSeconds(5))
        .build();
  }
}
