// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Three servers, each behind a proxy, for the tests of a class. */
final class ThreeRedis implements AutoCloseable {

  private static final Duration LARGEST_TTL = Duration.ofDays(365);

  final List<RedisServer> servers = Stream.generate(RedisServer::start).limit(3).toList();
  final List<FaultProxy> proxies = servers.stream().map(FaultProxy::before).toList();
  private final RedisClient client = RedisClient.create();
  private final List<QuorumLockStore> stores = new ArrayList<>();

  /** Heals and empties all servers, whatever a test has done to them. */
  void reset() {
    for (RedisServer server : servers) {
      if (!server.isRunning()) {
        server.restartEmpty();
      }
      server.resume();
      server.command("FLUSHALL");
    }
    proxies.forEach(FaultProxy::reset);
    QuorumLockStore direct =
        QuorumLockStore.create(
            servers.stream()
                .map(server -> RedisLockStore.create(client, RedisURI.create(server.uri())))
                .toList(),
            LARGEST_TTL);
    direct.declareNew().retry(20).then(direct.close()).block(Duration.ofSeconds(10));
  }

  QuorumLockStore store() {
    return store(LARGEST_TTL, builder -> builder);
  }

  /** A store that reaches the servers through the proxies, as one process does. */
  QuorumLockStore store(Duration largestTtl, UnaryOperator<QuorumLockStore.Builder> settings) {
    List<RedisLockStore> members =
        proxies.stream()
            .map(proxy -> RedisLockStore.create(client, RedisURI.create(proxy.uri())))
            .toList();
    QuorumLockStore store = settings.apply(QuorumLockStore.builder(members, largestTtl)).build();
    stores.add(store);
    return store;
  }

  RedisServer server(int number) {
    return servers.get(number - 1);
  }

  FaultProxy proxy(int number) {
    return proxies.get(number - 1);
  }

  /** Which servers have the key, such as {@code [1, 2]}. */
  List<Integer> having(String key) {
    return Stream.of(1, 2, 3)
        .filter(number -> server(number).isRunning())
        .filter(number -> server(number).commandAsLong("EXISTS", key) == 1)
        .toList();
  }

  void closeStores() {
    stores.forEach(store -> store.close().block(Duration.ofSeconds(10)));
    stores.clear();
  }

  @Override
  public void close() {
    closeStores();
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    proxies.forEach(FaultProxy::close);
    servers.forEach(RedisServer::close);
  }
}
