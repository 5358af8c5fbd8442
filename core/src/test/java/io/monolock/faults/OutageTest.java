// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisServer;
import io.netty.channel.Channel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** A server that is gone for a while. */
class OutageTest extends LockerUnderFault {

  private static final Duration OUTAGE = Duration.ofSeconds(2);

  private final RedisServer server = RedisServer.builder().persistent().start();
  private final AtomicInteger connects = new AtomicInteger();
  private final ClientResources resources =
      DefaultClientResources.builder()
          .nettyCustomizer(
              new NettyCustomizer() {
                @Override
                public void afterChannelInitialized(Channel channel) {
                  connects.incrementAndGet();
                }
              })
          .build();
  private final ReactiveLocker locker =
      built(
          ReactiveLocker.builder(
              RedisLockStore.create(
                  client(resources, ClientOptions.create()), RedisURI.create(server.uri()))));

  @AfterEach
  void closeServer() {
    closeAll();
    server.close();
    resources.shutdown(0, 2, TimeUnit.SECONDS);
  }

  private List<Lock> acquired(String name) {
    return IntStream.range(0, 10)
        .mapToObj(i -> locker.acquire(name + i, OPTIONS).block(LIMIT))
        .toList();
  }

  @Test
  @DisplayName(
      "B102: 500 waiters do not keep holders from releasing and extending once the outage is over")
  void waitersDoNotStarveHolders() {
    List<Lock> toRelease = acquired("release");
    List<Lock> toExtend = acquired("extend");
    Sinks.One<String> work = Sinks.one();
    CompletableFuture<Long> refreshed =
        Flux.range(0, 10)
            .flatMap(
                i ->
                    locker.withLock(
                        "refreshed" + i, OPTIONS.ttl(Duration.ofSeconds(6)), lock -> work.asMono()))
            .count()
            .toFuture();
    server.command("SET", "busy", "another client", "PX", "60000");
    Disposable.Composite waiters = Disposables.composite();
    LockOptions options = OPTIONS.waitAtMost(Duration.ofMinutes(1));
    AtomicInteger failed = new AtomicInteger();
    for (int i = 0; i < 500; i++) {
      waiters.add(
          locker.acquire("busy", options).subscribe(lock -> {}, e -> failed.incrementAndGet()));
    }
    pass(Duration.ofMillis(300));

    connects.set(0);
    server.kill();
    List<CompletableFuture<Boolean>> releases =
        toRelease.stream().map(lock -> lock.release().toFuture()).toList();
    pass(OUTAGE);
    server.restart();

    Duration extended =
        timed(() -> toExtend.forEach(lock -> lock.extend(Duration.ofSeconds(40)).block(LIMIT)));
    assertThat(extended).isLessThan(Duration.ofSeconds(5));
    await()
        .atMost(Duration.ofSeconds(3))
        .until(
            () ->
                toRelease.stream()
                    .noneMatch(lock -> exists(server, lock.keys().iterator().next())));
    assertThat(releases).allMatch(CompletableFuture::isDone);
    assertThat(connects.get()).isBetween(2, 60);

    work.tryEmitValue("done");
    assertThat(refreshed).succeedsWithin(LIMIT).isEqualTo(10L);
    assertThat(failed).hasValue(0);
    waiters.dispose();
  }

  @ParameterizedTest(name = "connected before: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("B107: a server that is down ends a waiting call at its limit, none hangs")
  void theLimitHoldsWhileTheServerIsDown(boolean connected) {
    if (connected) {
      warmUp(locker);
    }
    server.kill();

    Duration taken =
        timed(
            () -> {
              LockStoreException failure =
                  trouble(locker.acquire("key", OPTIONS.waitAtMost(Duration.ofSeconds(1))));
              assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
              assertThat(failure.isTransient()).isTrue();
            });
    assertThat(taken).isBetween(Duration.ofMillis(950), Duration.ofSeconds(5));
    Duration once =
        timed(
            () ->
                assertThat(trouble(locker.tryAcquire("key", OPTIONS)).reason())
                    .isEqualTo(Reason.UNAVAILABLE));
    assertThat(once).isLessThan(Duration.ofSeconds(5));

    CompletableFuture<Lock> waiting = locker.acquire("key", OPTIONS.waitAtMost(LIMIT)).toFuture();
    server.restart();
    assertThat(waiting)
        .succeedsWithin(Duration.ofSeconds(5))
        .satisfies(lock -> assertThat(released(lock)).isTrue());
  }

  @Test
  @DisplayName("B46: refused first and then unanswered, the wait ends as refused")
  void theLastAnsweredAttemptDecides() {
    server.command("SET", "key", "another client", "PX", "60000");
    CompletableFuture<Lock> waiting =
        locker.acquire("key", OPTIONS.waitAtMost(Duration.ofMillis(1_500))).toFuture();
    pass(Duration.ofMillis(400));
    server.kill();

    assertThatThrownBy(() -> waiting.get(5, TimeUnit.SECONDS))
        .hasCauseInstanceOf(LockNotAcquiredException.class);
  }
}
