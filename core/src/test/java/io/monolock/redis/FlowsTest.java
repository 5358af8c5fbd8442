// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.monolock.Lock;
import io.monolock.LockObserver;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.retry.Retry;

/** A lock belongs to a flow, not to a thread. */
@ExtendWith(RedisExtension.class)
class FlowsTest {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(5))
          .retry(Retry.fixedDelay(Long.MAX_VALUE, Duration.ofMillis(2)));

  private final RedisServer server;
  private RedisClient client;

  FlowsTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    client = RedisClient.create(server.uri());
  }

  @AfterEach
  void close() {
    client.shutdown(0, 0, TimeUnit.SECONDS);
  }

  @Test
  @DisplayName("B36: two flows on one thread exclude each other")
  void flowsOnOneThreadExcludeEachOther() {
    Scheduler one = Schedulers.newSingle("the-only-thread");
    ReactiveLocker locker =
        ReactiveLocker.builder(RedisLockStore.create(client)).publishOn(one).build();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ConcurrentLinkedQueue<String> threads = new ConcurrentLinkedQueue<>();
    Mono<Long> body =
        Mono.defer(
            () -> {
              threads.add(Thread.currentThread().getName());
              most.accumulateAndGet(inside.incrementAndGet(), Math::max);
              return Mono.delay(Duration.ofMillis(1), one)
                  .doOnNext(any -> inside.decrementAndGet());
            });

    Flux<Long> flow =
        Flux.range(0, 50)
            .concatMap(i -> locker.withLock("key", OPTIONS, lock -> body))
            .subscribeOn(one);
    Flux.merge(flow, flow).blockLast(LIMIT);

    assertThat(most).hasValue(1);
    assertThat(threads).hasSize(100).allMatch(name -> name.startsWith("the-only-thread"));
    locker.close().block(LIMIT);
    one.dispose();
  }

  @Test
  @DisplayName("B36: a lock acquired on one thread is released on another")
  void releasedOnAnotherThread() {
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(client));
    Scheduler first = Schedulers.newSingle("first");
    Scheduler second = Schedulers.newSingle("second");

    Lock lock = locker.acquire("key", OPTIONS).subscribeOn(first).block(LIMIT);
    Boolean released = lock.release().subscribeOn(second).block(LIMIT);

    assertThat(released).isTrue();
    assertThat(server.commandAsLong("EXISTS", "key")).isZero();
    locker.close().block(LIMIT);
    first.dispose();
    second.dispose();
  }

  @Test
  @DisplayName("B36: nested on the same key, the second waits in vain instead of re-entering")
  void doesNotReenter() {
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(client));

    Boolean entered =
        locker
            .withLock("key", OPTIONS, outer -> locker.tryAcquire("key", OPTIONS).hasElement())
            .block(LIMIT);

    assertThat(entered).isFalse();
    locker.close().block(LIMIT);
  }

  @Test
  @DisplayName(
      "B104: a body that blocks for 2 s delays no refresh and runs on no thread of Lettuce")
  void blockingBodyDelaysNoRefresh() {
    Scheduler blocking = Schedulers.newBoundedElastic(4, 100, "blocking");
    AtomicInteger refreshed = new AtomicInteger();
    AtomicInteger lost = new AtomicInteger();
    ReactiveLocker locker =
        ReactiveLocker.builder(RedisLockStore.create(client))
            .publishOn(blocking)
            .observer(
                new LockObserver() {
                  @Override
                  public void refreshed(long id, Set<String> keys) {
                    if (keys.contains("other")) {
                      refreshed.incrementAndGet();
                    }
                  }

                  @Override
                  public void lost(
                      long id, Set<String> keys, io.monolock.LockLostException.Reason reason) {
                    lost.incrementAndGet();
                  }
                })
            .build();
    LockOptions refreshedOften = OPTIONS.ttl(Duration.ofMillis(600));
    Mono<String> blockingBody =
        locker.withLock(
            "blocking",
            refreshedOften,
            lock ->
                Mono.fromCallable(
                    () -> {
                      Thread.sleep(2_000);
                      return Thread.currentThread().getName();
                    }));
    Mono<Boolean> other =
        locker.withLock(
            "other", refreshedOften, lock -> blockingBody.map(thread -> lock.isValid()));

    String thread = Mono.zip(blockingBody, other.hasElement()).map(t -> t.getT1()).block(LIMIT);

    assertThat(thread).startsWith("blocking").doesNotContain("lettuce");
    assertThat(lost).hasValue(0);
    assertThat(refreshed).hasValueGreaterThanOrEqualTo(6);
    locker.close().block(LIMIT);
    blocking.dispose();
  }
}
