// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.LockException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisMasters;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Mono;

/** What tests of a quorum have in common: three servers, and processes that use them as members. */
@ExtendWith(RedisExtension.class)
abstract class OnQuorum {

  static final Duration LARGEST_TTL = Duration.ofDays(1);
  static final Duration LIMIT = Duration.ofSeconds(30);

  /** Opening a connection counts as well, and takes long where all processors are busy. */
  private static final Duration COMMAND = Duration.ofSeconds(10);

  private static final Duration MEMBER = Duration.ofSeconds(3);

  private final RedisMasters masters;
  private final RedisClient client = RedisClient.create();
  private final List<ReactiveLocker> lockers = new ArrayList<>();
  private final List<FaultProxy> proxies = new ArrayList<>();

  OnQuorum(RedisMasters masters) {
    this.masters = masters;
  }

  @BeforeEach
  void declareNew() {
    QuorumLockStore store = store(masters.uris());
    get(store.declareNew().retry(20).then(store.close()));
  }

  /** A locker, and its own way to each of the members. */
  record Process(ReactiveLocker locker, List<FaultProxy> ways) {

    /** Makes a member, counted from 1, unreachable for this process and no other. */
    void cut(int member) {
      ways.get(member - 1).refuse();
      ways.get(member - 1).cut();
    }

    /** One attempt; false also when it fails. */
    boolean canLock(String key, LockOptions options) {
      return Boolean.TRUE.equals(
          locker
              .tryAcquire(key, options)
              .hasElement()
              .onErrorReturn(LockException.class, false)
              .block(LIMIT));
    }
  }

  /** A locker that reaches the members over proxies of its own. */
  Process process() {
    List<FaultProxy> ways =
        Stream.of(1, 2, 3).map(number -> FaultProxy.before(server(number))).toList();
    proxies.addAll(ways);
    List<String> uris = ways.stream().map(FaultProxy::uri).toList();
    return new Process(locker(store(uris)), ways);
  }

  /** A locker that reaches the members without proxies. */
  ReactiveLocker locker() {
    return locker(store(masters.uris()));
  }

  QuorumLockStore store(List<String> uris) {
    List<RedisLockStore> members =
        uris.stream().map(uri -> RedisLockStore.create(client, RedisURI.create(uri))).toList();
    return QuorumLockStore.builder(members, LARGEST_TTL).memberTimeout(MEMBER).build();
  }

  ReactiveLocker locker(QuorumLockStore store) {
    ReactiveLocker locker = ReactiveLocker.builder(store).commandTimeout(COMMAND).build();
    lockers.add(locker);
    return locker;
  }

  RedisServer server(int number) {
    return masters.node(number - 1).server();
  }

  /** As a crash of a server does that stores nothing. */
  void restartEmpty(int number) {
    server(number).kill();
    server(number).restartEmpty();
  }

  /** All keys at a member but its own. */
  List<String> locksAt(int number) {
    return ((List<?>) server(number).command("KEYS", "*"))
        .stream()
            .map(String::valueOf)
            .filter(key -> !key.startsWith("monolock:"))
            .sorted()
            .toList();
  }

  static <T> T get(Mono<T> mono) {
    return mono.block(LIMIT);
  }

  @AfterEach
  void closeAll() {
    proxies.forEach(FaultProxy::reset);
    lockers.forEach(locker -> locker.close().block(LIMIT));
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    proxies.forEach(FaultProxy::close);
  }
}
