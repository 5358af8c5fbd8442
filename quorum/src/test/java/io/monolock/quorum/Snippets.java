// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** The code that documents and javadoc of this module show, run. */
@ExtendWith(RedisExtension.class)
class Snippets {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final RedisServer server;
  private RedisClient client;

  Snippets(RedisServer server) {
    this.server = server;
  }

  private record Report(String text) {}

  @BeforeEach
  void open() {
    client = RedisClient.create(server.uri());
  }

  @AfterEach
  void close() {
    client.shutdown(0, 0, TimeUnit.SECONDS);
  }

  @Test
  void quorum() {
    try (RedisServer second = RedisServer.start();
        RedisServer third = RedisServer.start()) {
      List<String> uris = List.of(server.uri(), second.uri(), third.uri());
      Mono<Report> work = Mono.just(new Report("done"));

      List<RedisLockStore> members =
          uris.stream().map(uri -> RedisLockStore.create(client, RedisURI.create(uri))).toList();
      QuorumLockStore store = QuorumLockStore.create(members, Duration.ofMinutes(10));
      ReactiveLocker locker = ReactiveLocker.create(store);

      store.declareNew().block(LIMIT); // once, by who sets the quorum up

      assertThat(locker.withLock("report", Duration.ofSeconds(30), work).block(LIMIT))
          .isEqualTo(new Report("done"));
      locker.close().block(LIMIT);
    }
  }
}
