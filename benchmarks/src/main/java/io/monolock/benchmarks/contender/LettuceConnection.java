// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.reactive.RedisReactiveCommands;
import java.time.Duration;

/** A client with one connection, both as Lettuce makes them when nothing is set. */
final class LettuceConnection implements AutoCloseable {

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;

  LettuceConnection(String uri) {
    client = RedisClient.create(uri);
    connection = client.connect();
  }

  RedisReactiveCommands<String, String> commands() {
    return connection.reactive();
  }

  /** Loads a script and returns its hash. */
  String load(String script) {
    return connection.sync().scriptLoad(script);
  }

  @Override
  public void close() {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }
}
