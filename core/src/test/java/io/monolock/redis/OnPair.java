// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import io.monolock.store.StoreFailure;
import io.monolock.test.RedisServer;
import io.monolock.test.ReplicaPair;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import reactor.core.publisher.Mono;
import reactor.util.retry.Retry;

/** What tests on a primary and its replica have in common. */
abstract class OnPair extends StoreOnRedis {

  final ReplicaPair pair = ReplicaPair.start();

  @AfterEach
  void closePair() {
    pair.close();
  }

  static RedisURI uri(RedisServer server) {
    return RedisURI.create(server.uri());
  }

  List<RedisURI> both() {
    return Stream.of(pair.replica(), pair.primary()).map(OnPair::uri).toList();
  }

  /** The call, tried again while there is trouble that passes, within some seconds. */
  static <T> T inTime(Mono<T> call) {
    return call.retryWhen(
            Retry.fixedDelay(100, Duration.ofMillis(100))
                .filter(e -> e instanceof StoreFailure failure && failure.isTransient()))
        .block(Duration.ofSeconds(10));
  }
}
