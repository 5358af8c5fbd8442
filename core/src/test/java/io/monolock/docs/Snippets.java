// SPDX-License-Identifier: Apache-2.0
package io.monolock.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The code that README and javadoc show, run; {@link SnippetsTest} compares the texts. */
@ExtendWith(RedisExtension.class)
class Snippets {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final RedisServer server;
  private RedisClient client;
  private ReactiveLocker locker;

  Snippets(RedisServer server) {
    this.server = server;
  }

  private record Receipt(String order) {}

  private record Report(String text) {}

  @BeforeEach
  void open() {
    client = RedisClient.create(server.uri());
    locker = ReactiveLocker.create(RedisLockStore.create(client));
  }

  @AfterEach
  void close() {
    locker.close().block(LIMIT);
    client.shutdown(0, 0, TimeUnit.SECONDS);
  }

  @Test
  void sentinels() {
    RedisURI uri = RedisURI.create("redis-sentinel://one:26379,two:26379,three:26379#orders");
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(client, uri));

    locker.close().block(LIMIT);
  }

  @Test
  void cluster() {
    List<RedisURI> seeds = List.of(RedisURI.create("redis://one"), RedisURI.create("redis://two"));

    RedisClusterClient cluster = RedisClusterClient.create(seeds);
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(cluster));

    locker.close().block(LIMIT);
    cluster.shutdown(0, 0, TimeUnit.SECONDS);
  }

  @Test
  void primaryAndReplicas() {
    List<RedisURI> uris = List.of(RedisURI.create("redis://one"), RedisURI.create("redis://two"));
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(client, uris));

    locker.close().block(LIMIT);
  }

  @Test
  void grantsThatReplicasHave() {
    RedisURI uri = RedisURI.create(server.uri());
    RedisLockStore store =
        RedisLockStore.builder(client, uri).replicas(1, Duration.ofMillis(500)).build();

    ReactiveLocker locker = ReactiveLocker.create(store);
    assertThatThrownBy(() -> locker.tryAcquire("order:42", Duration.ofSeconds(30)).block(LIMIT))
        .isInstanceOf(LockStoreException.class)
        .hasMessageContaining("0 of 1 replicas");
    locker.close().block(LIMIT);
  }

  @Test
  void firstSteps() {
    String uri = server.uri();
    Mono<Receipt> charge = Mono.just(new Receipt("order:42"));

    RedisClient client = RedisClient.create(uri);
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(client));

    Mono<Receipt> receipt = locker.withLock("order:42", Duration.ofSeconds(30), charge);

    assertThat(receipt.block(LIMIT)).isEqualTo(new Receipt("order:42"));
    locker.close().block(LIMIT);
    client.shutdown(0, 0, TimeUnit.SECONDS);
  }

  @Test
  void errors() {
    locker.acquire("order:42", Duration.ofSeconds(30)).block(LIMIT);
    Mono<Receipt> charge = Mono.just(new Receipt("order:42"));

    LockOptions options = LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofSeconds(2));

    Mono<Receipt> receipt =
        locker
            .withLock("order:42", options, lock -> charge)
            .onErrorMap(LockNotAcquiredException.class, busy -> new TryLater(busy.retryAfter()))
            .doOnError(LockStoreException.class, trouble -> log(trouble.reason()));

    assertThatThrownBy(() -> receipt.block(LIMIT)).isInstanceOf(TryLater.class);
  }

  private static final class TryLater extends RuntimeException {
    TryLater(java.util.Optional<Duration> after) {
      super("try again after " + after);
    }
  }

  private static void log(Object reason) {
    assertThat(reason).isNotNull();
  }

  @Test
  void fencing() {
    LockOptions options = LockOptions.of(Duration.ofSeconds(30));

    Mono<Long> written =
        locker.withLock(
            List.of("account:1", "account:2"),
            options.fenced(true).metadata("host-7"),
            lock -> transfer(lock.fencingToken().getAsLong()));

    assertThat(written.block(LIMIT)).isPositive();
  }

  private static Mono<Long> transfer(long fencingToken) {
    return Mono.just(fencingToken);
  }

  @Test
  void many() {
    LockOptions options = LockOptions.of(Duration.ofSeconds(30));
    Flux<String> rows = Flux.just("1", "2");

    Flux<String> exported = locker.withLockMany("export", options, lock -> rows);

    assertThat(exported.collectList().block(LIMIT)).containsExactly("1", "2");
  }

  @Test
  void whileHeld() {
    Mono<Report> work = Mono.just(new Report("done"));
    Lock lock = locker.acquire("report", Duration.ofSeconds(30)).block(LIMIT);
    Mono<Report> report = lock.whileHeld(work);
    assertThat(report.block(LIMIT)).isEqualTo(new Report("done"));
    assertThat(lock.release().block(LIMIT)).isTrue();
  }

  @Test
  void keepAlive() {
    Mono<Report> work = Mono.just(new Report("done"));
    Lock lock = locker.acquire("report", Duration.ofSeconds(30)).block(LIMIT);

    Mono<Report> report = work.or(lock.keepAlive());

    assertThat(report.block(LIMIT)).isEqualTo(new Report("done"));
    assertThat(lock.release().block(LIMIT)).isTrue();
  }
}
