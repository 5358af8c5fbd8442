// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import reactor.core.publisher.Mono;

/** Lockers as users build them, on real servers that get into real trouble. */
abstract class LockerUnderFault {

  static final Duration LIMIT = Duration.ofSeconds(20);

  /** An answer that takes longer than this is none. */
  static final Duration COMMAND_TIMEOUT = Duration.ofMillis(300);

  /** Much longer than a test, so that what is gone in time was not freed by its ttl. */
  static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(60));

  static final LockOptions ONCE = OPTIONS.waitAtMost(Duration.ZERO);

  /** What the lockers have reported. */
  final RecordedEvents events = new RecordedEvents();

  private final List<ReactiveLocker> lockers = new ArrayList<>();
  private final List<RedisClient> clients = new ArrayList<>();

  @AfterEach
  void closeAll() {
    lockers.forEach(locker -> locker.close().block(LIMIT));
    lockers.clear();
    clients.forEach(client -> client.shutdown(0, 2, TimeUnit.SECONDS));
    clients.clear();
  }

  RedisClient client(@Nullable ClientResources resources, ClientOptions options) {
    RedisClient client = resources == null ? RedisClient.create() : RedisClient.create(resources);
    client.setOptions(options);
    clients.add(client);
    return client;
  }

  ReactiveLocker locker(RedisClient client, RedisURI uri) {
    return built(
        ReactiveLocker.builder(RedisLockStore.create(client, uri))
            .commandTimeout(COMMAND_TIMEOUT)
            .closeTimeout(Duration.ofSeconds(1)));
  }

  ReactiveLocker locker(RedisURI uri) {
    return locker(client(null, ClientOptions.create()), uri);
  }

  ReactiveLocker locker(String uri) {
    return locker(RedisURI.create(uri));
  }

  ReactiveLocker built(ReactiveLocker.Builder builder) {
    ReactiveLocker locker = builder.observer(events).build();
    lockers.add(locker);
    return locker;
  }

  /** Opens the connection and teaches the server the scripts. */
  static void warmUp(ReactiveLocker locker) {
    locker
        .withLock("warm-up", OPTIONS.waitAtMost(LIMIT), lock -> lock.extend(Duration.ofSeconds(61)))
        .retry(20)
        .block(LIMIT);
  }

  /** The outcome of a release, which on a slow machine may come at a repeat only. */
  static boolean released(Lock lock) {
    return Mono.defer(lock::release).retry(20).block(LIMIT);
  }

  static LockStoreException trouble(Mono<?> call) {
    return assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> call.block(LIMIT))
        .actual();
  }

  /** How a call failed; one that did not, or not soon, is a failure of the test. */
  static Throwable failure(CompletableFuture<?> call) {
    return assertThat(call)
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableOfType(ExecutionException.class)
        .actual()
        .getCause();
  }

  static void pass(Duration time) {
    Mono.delay(time).block(LIMIT);
  }

  static Duration timed(Runnable action) {
    long start = System.nanoTime();
    action.run();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  static boolean exists(RedisServer server, String key) {
    return server.commandAsLong("EXISTS", key) == 1;
  }

  /** The outcome of a call in words, whatever it is; a call that hangs is a failure of the test. */
  static Mono<String> outcome(String name, Supplier<Mono<?>> call) {
    return Mono.defer(call::get)
        .map(value -> name + ": value")
        .defaultIfEmpty(name + ": empty")
        .onErrorResume(e -> Mono.just(name + ": " + e.getClass().getSimpleName()));
  }
}
