// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.ReactiveLocker;
import io.monolock.store.LockStore;
import io.monolock.test.RedisCluster;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Mono;

/** Gives a test lockers that are closed after it, with their stores and clients. */
public final class Lockers implements AfterEachCallback {

  public static final Duration LIMIT = Duration.ofSeconds(40);

  /** Opening a connection counts as well, and takes long where all processors are busy. */
  private static final Duration COMMAND = Duration.ofSeconds(10);

  private final Deque<Runnable> toClose = new ArrayDeque<>();

  /** A locker on one server. */
  public ReactiveLocker on(String uri) {
    return on(RedisURI.create(uri));
  }

  public ReactiveLocker on(RedisURI uri) {
    return over(RedisLockStore.create(client(), uri));
  }

  public ReactiveLocker on(RedisCluster cluster) {
    return over(RedisLockStore.create(client(cluster)));
  }

  public ReactiveLocker over(LockStore store) {
    return over(store, COMMAND);
  }

  public ReactiveLocker over(LockStore store, Duration commandTimeout) {
    ReactiveLocker locker = ReactiveLocker.builder(store).commandTimeout(commandTimeout).build();
    toClose.push(() -> locker.close().block(LIMIT));
    return locker;
  }

  /** A store for which there is no locker that closes it. */
  public <S extends LockStore> S store(S store) {
    toClose.push(() -> store.close().block(LIMIT));
    return store;
  }

  /** Closes a server, or what stands before it, when all is closed that was opened after it. */
  public <C extends AutoCloseable> C closing(C resource) {
    toClose.push(
        () -> {
          try {
            resource.close();
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        });
    return resource;
  }

  public RedisClient client() {
    RedisClient client = RedisClient.create();
    toClose.push(() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
    return client;
  }

  public RedisClusterClient client(RedisCluster cluster) {
    RedisClusterClient client =
        RedisClusterClient.create(cluster.uris().stream().map(RedisURI::create).toList());
    toClose.push(() -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
    return client;
  }

  public static <T> T get(Mono<T> mono) {
    return mono.block(LIMIT);
  }

  @Override
  public void afterEach(ExtensionContext context) {
    while (!toClose.isEmpty()) {
      toClose.pop().run();
    }
  }
}
