// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Answers of Redis that are late or lost on their way. */
@ExtendWith(RedisExtension.class)
@Timeout(60)
class DoubtOnRedisTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));
  private static final Duration SOON = Duration.ofSeconds(10);

  private RedisServer server;
  private FaultProxy proxy;
  private RedisClient client;
  private ReactiveLocker locker;

  @BeforeEach
  void open(RedisServer ofClass) {
    server = ofClass;
    proxy = FaultProxy.before(server);
    client = RedisClient.create();
    locker = ReactiveLocker.create(RedisLockStore.create(client, RedisURI.create(proxy.uri())));
    locker.withLock("warm", OPTIONS, lock -> Mono.just(1)).retry(5).block(SOON.multipliedBy(2));
  }

  @AfterEach
  void close() {
    proxy.reset();
    locker.close().block(SOON);
    client.shutdown();
    proxy.close();
  }

  private long pttl(String key) {
    return server.commandAsLong("PTTL", key);
  }

  private void awaitTaken(String key) {
    await().atMost(SOON).pollInterval(Duration.ofMillis(5)).until(() -> pttl(key) > 0);
  }

  @Test
  void repeatedReleaseKeepsWhatIsLeftOfHoldAtLeastAfterTheConnectionBroke() throws Exception {
    LockOptions options = OPTIONS.holdAtLeast(Duration.ofMinutes(10));
    proxy.dropReplies(true);
    CompletableFuture<Integer> job =
        locker.withLock("job", options, lock -> Mono.just(1)).toFuture();
    awaitTaken("job");
    proxy.dropReplies(false);
    proxy.cut();
    assertThat(job.get(SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);

    await().atMost(SOON).until(() -> pttl("job") > Duration.ofMinutes(5).toMillis());

    await()
        .during(Duration.ofSeconds(3))
        .atMost(Duration.ofSeconds(6))
        .untilAsserted(
            () ->
                assertThat(pttl("job"))
                    .as("what is left of ten minutes")
                    .isGreaterThan(Duration.ofMinutes(5).toMillis()));
  }

  @Test
  void lateAnswerToACancelledAcquisitionDoesNotFreeWhatTheRetryHolds() {
    LockOptions options = OPTIONS.token("job-42-0123456789abcde");
    proxy.delayReplies(Duration.ofMillis(300));
    Disposable cancelled = locker.acquire("a", options).subscribe();
    awaitTaken("a");
    cancelled.dispose();
    Lock retried = locker.acquire("a", options).block(SOON);
    assertThat(retried.isValid()).isTrue();

    await()
        .during(Duration.ofSeconds(1))
        .atMost(Duration.ofSeconds(5))
        .untilAsserted(() -> assertThat(pttl("a")).as("ttl of the retry's key").isPositive());
  }

  @Test
  void callsWithoutAnAnswerEndWhenTheLockerCloses() {
    Lock lost = locker.acquire("a", OPTIONS.ttl(Duration.ofMillis(100))).block(SOON);
    await().atMost(SOON).until(() -> !lost.isValid());
    proxy.dropReplies(true);
    List<CompletableFuture<?>> calls =
        List.of(
            locker.inspect("a").toFuture(),
            locker.forceRelease("a").toFuture(),
            lost.release().toFuture());
    locker.close().block(SOON);

    await().atMost(SOON).untilAsserted(() -> assertThat(calls).allMatch(CompletableFuture::isDone));
  }
}
