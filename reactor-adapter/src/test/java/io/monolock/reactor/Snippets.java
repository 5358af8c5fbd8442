// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import static io.monolock.reactor.LockOperators.lockEach;
import static io.monolock.reactor.LockOperators.locked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** The code that documents and javadoc of this module show, run. */
@ExtendWith(RedisExtension.class)
class Snippets {

  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Duration ttl = Duration.ofSeconds(30);
  private final LockOptions options = LockOptions.of(ttl);
  private final RedisServer server;
  private RedisClient client;
  private ReactiveLocker locker;

  Snippets(RedisServer server) {
    this.server = server;
  }

  private record Receipt(String order) {}

  private record Report(String text) {}

  private record Row(int number) {}

  private record Event(int number) {}

  private record Order(String key) {}

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
  void operators() {
    Mono<Receipt> charge = Mono.just(new Receipt("order:42"));
    Flux<Row> export = Flux.just(new Row(1), new Row(2));

    Mono<Receipt> receipt = charge.transformDeferred(locked(locker, "order:42", ttl));
    Flux<Row> rows = export.transformDeferred(locked(locker, "export", ttl));

    assertThat(receipt.block(LIMIT)).isEqualTo(new Receipt("order:42"));
    assertThat(rows.collectList().block(LIMIT)).hasSize(2);
  }

  @Test
  void each() {
    Flux<Order> orders = Flux.just(new Order("order:1"), new Order("order:2"));

    Flux<Receipt> receipts =
        orders.transform(lockEach(locker, Order::key, options, order -> ship(order), 8));

    StepVerifier.create(receipts).expectNextCount(2).expectComplete().verify(LIMIT);
  }

  private static Mono<Receipt> ship(Order order) {
    return Mono.just(new Receipt(order.key()));
  }

  @Test
  void currentLock() {
    AtomicInteger written = new AtomicInteger();
    Mono<Void> write = Mono.fromRunnable(written::incrementAndGet);

    Mono<Void> debit = CurrentLock.require("account:1").then(write);

    assertThatThrownBy(() -> debit.block(LIMIT)).isInstanceOf(IllegalStateException.class);
    debit.transformDeferred(locked(locker, "account:1", ttl)).block(LIMIT);
    assertThat(written).hasValue(1);
  }

  @Test
  void reentrant() {
    Mono<Receipt> charge = Mono.just(new Receipt("order:42"));

    ReactiveLocker reentrant = ReentrantLocker.wrap(locker);
    Mono<Receipt> receipt =
        reentrant.withLock("order:42", ttl, reentrant.withLock("order:42", ttl, charge));

    assertThat(receipt.block(LIMIT)).isEqualTo(new Receipt("order:42"));
  }

  @Test
  void leadership() {
    Flux<Event> events = Flux.just(new Event(1), new Event(2));

    Leadership leadership = Leadership.of(locker, "projection", Duration.ofSeconds(10));
    Flux<Event> applied = leadership.whileLeader(events);

    assertThat(applied.collectList().block(LIMIT)).isEqualTo(List.of(new Event(1), new Event(2)));
  }

  @Test
  void leaderWithAFencingToken() {
    Leadership leadership = Leadership.of(locker, "projection", options.fenced(true));

    Flux<Long> numbers = leadership.whileLeader(lock -> apply(lock.fencingToken().getAsLong()));

    assertThat(numbers.blockLast(LIMIT)).isPositive();
  }

  private static Flux<Long> apply(long fencingToken) {
    return Flux.just(fencingToken);
  }

  @Test
  void crons() {
    Leadership nightly = Leadership.of(locker, "nightly", Duration.ofMinutes(1));
    Mono<Report> report = Mono.just(new Report("done"));

    StepVerifier.withVirtualTime(() -> hourly(nightly, report).take(1))
        .thenAwait(Duration.ofHours(1))
        .expectNextCount(1)
        .expectComplete()
        .verify(LIMIT);
    assertThat(nightly.oncePer(Duration.ofHours(1), report).blockOptional(LIMIT)).isEmpty();
  }

  private static Flux<Report> hourly(Leadership nightly, Mono<Report> report) {
    Flux<Report> reports =
        Flux.interval(Duration.ofHours(1))
            .onBackpressureDrop()
            .concatMap(tick -> nightly.oncePer(Duration.ofHours(1), report));
    return reports;
  }

  @Test
  void changes() {
    Leadership leadership = Leadership.of(locker, "projection", Duration.ofSeconds(10));

    Flux<Leadership.Status> statuses = leadership.changes().map(Leadership.Change::status);

    StepVerifier.create(statuses)
        .expectNext(Leadership.Status.IDLE)
        .then(() -> leadership.whileLeader(Flux.empty()).blockLast(LIMIT))
        .expectNext(Leadership.Status.WAITING, Leadership.Status.LEADING, Leadership.Status.IDLE)
        .thenCancel()
        .verify(LIMIT);
  }
}
