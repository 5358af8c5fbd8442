// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A server that forgets scripts: restarted, failed over, or by command. */
@ExtendWith(RedisExtension.class)
class ScriptCacheTest extends LockerUnderFault {

  private final RedisServer server;
  private ReactiveLocker locker;

  ScriptCacheTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    RedisClient client = client(null, ClientOptions.create());
    locker =
        built(ReactiveLocker.builder(RedisLockStore.create(client, RedisURI.create(server.uri()))));
  }

  private <T> T afterFlush(Mono<T> call) {
    server.command("SCRIPT", "FLUSH");
    return call.block(LIMIT);
  }

  @Test
  @DisplayName("B80: scripts forgotten before every single call are not noticed")
  void everyCallSurvivesAFlush() {
    LockOptions options = OPTIONS.fenced(true);
    Lock lock = afterFlush(locker.acquire("key", options));
    assertThat(afterFlush(locker.tryAcquire("key", OPTIONS))).isNull();
    afterFlush(lock.extend(Duration.ofSeconds(120)));
    assertThat(afterFlush(lock.ttl())).isGreaterThan(Duration.ofSeconds(100));
    assertThat(afterFlush(locker.inspect("key")).metadata()).contains("");
    assertThat(afterFlush(locker.attach(Set.of("key"), lock.token(), OPTIONS))).isNotNull();
    assertThat(afterFlush(lock.release())).isTrue();
    assertThat(afterFlush(locker.forceRelease("key"))).isFalse();
    await().untilAsserted(() -> assertThat(events.attempts()).containsExactly(1));
  }

  @Test
  @DisplayName("B80: scripts forgotten at any moment cost no attempt, and no error surfaces")
  void flushesAtAnyMomentAreNotNoticed() {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<?> flushes =
        Mono.fromRunnable(() -> server.command("SCRIPT", "FLUSH"))
            .subscribeOn(Schedulers.boundedElastic())
            .repeat(() -> !over.get())
            .then()
            .toFuture();

    Long done =
        Flux.range(0, 500)
            .flatMap(
                i ->
                    locker.withLock(
                        "key" + i, ONCE, lock -> lock.extend(OPTIONS.ttl()).thenReturn(i)),
                20)
            .count()
            .block(LIMIT);
    over.set(true);
    assertThat(flushes).succeedsWithin(LIMIT);

    assertThat(done).isEqualTo(500);
    await().untilAsserted(() -> assertThat(events.attempts()).hasSize(500));
    assertThat(events.attempts()).allMatch(number -> number == 1);
    await().until(() -> KeyScanner.of(server).matching("*").isEmpty());
  }

  @Test
  @DisplayName("B80: what a cancelled scope took is freed although the scripts are forgotten")
  void theReleaseOfACancelledScopeSurvivesAFlush() {
    warmUp(locker);
    for (int i = 0; i < 50; i++) {
      server.command("SCRIPT", "FLUSH");
      Disposable scope = locker.withLock("key" + i, OPTIONS, lock -> Mono.never()).subscribe();
      scope.dispose();
    }
    locker.acquire("last", OPTIONS).block(LIMIT).release().block(LIMIT);
    await()
        .atMost(Duration.ofSeconds(5))
        .until(() -> KeyScanner.of(server).matching("*").isEmpty());
  }
}
