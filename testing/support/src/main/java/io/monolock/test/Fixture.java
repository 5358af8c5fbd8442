// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;

/** A type of parameter that the extension resolves, with the steps of its lifecycle. */
record Fixture<T>(
    Class<T> type,
    Function<RedisSetup, T> start,
    Consumer<T> reset,
    Function<T, List<RedisServer>> servers) {

  static final List<Fixture<?>> ALL =
      List.of(
          new Fixture<>(
              RedisServer.class, setup -> kind(setup).start(), RedisServer::reset, List::of),
          new Fixture<>(
              RedisCluster.class,
              setup ->
                  setup.behindProxies()
                      ? RedisCluster.startBehindProxies(kind(setup))
                      : RedisCluster.start(kind(setup)),
              RedisCluster::reset,
              RedisCluster::servers),
          new Fixture<>(
              RedisSentinels.class,
              setup ->
                  setup.behindProxies()
                      ? RedisSentinels.startBehindProxies(kind(setup))
                      : RedisSentinels.start(kind(setup)),
              RedisSentinels::reset,
              RedisSentinels::servers),
          new Fixture<>(
              RedisMasters.class,
              setup ->
                  setup.behindProxies()
                      ? RedisMasters.startBehindProxies(setup.masters(), kind(setup))
                      : RedisMasters.start(setup.masters(), kind(setup)),
              RedisMasters::reset,
              RedisMasters::servers));

  static Optional<Fixture<?>> of(Class<?> type) {
    return ALL.stream().<Fixture<?>>map(each -> each).filter(each -> each.type == type).findFirst();
  }

  private static RedisServer.Builder kind(RedisSetup setup) {
    RedisServer.Builder kind = RedisServer.builder();
    return setup.version().isEmpty() ? kind : kind.version(setup.version());
  }
}
