// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static io.monolock.engine.ScriptedStore.StoreOperation.ACQUIRE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.engine.ScriptedStore.HeldBack;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.InVirtualTime.SignalProbe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;
import reactor.test.util.RaceTestUtils;
import reactor.util.retry.Retry;

/** What two threads may do to one acquisition at once, in real time. */
class AcquireRaceTest {

  private static final int ROUNDS = 500;
  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

  private final InMemoryLockStore memory = InMemoryLockStore.create();
  private final ScriptedStore store = new ScriptedStore(memory);
  private final RecordingObserver observed = new RecordingObserver();
  private final Scheduler eventLoop = Schedulers.newSingle("event-loop");
  private final ReactiveLocker locker =
      ReactiveLocker.builder(store).observer(observed).closeTimeout(Duration.ofHours(1)).build();

  @AfterEach
  void stop() {
    eventLoop.dispose();
  }

  /** Completes only when no acquisition is left over. */
  private void assertNothingRemains() {
    locker.close().block(Duration.ofSeconds(20));
  }

  /** A lock that won against the cancel is delivered a moment later, and is the subscriber's. */
  private void assertIsFreeUnlessDelivered(String key, List<Lock> delivered) {
    await()
        .pollInterval(Duration.ofMillis(1))
        .until(() -> !delivered.isEmpty() || memory.inspect(key).blockOptional().isEmpty());
    delivered.forEach(lock -> lock.release().block());
  }

  @Test
  void cancelAgainstRequestLeavesNothing() {
    for (int i = 0; i < ROUNDS; i++) {
      String key = "key" + i;
      IdleSubscriber<Lock> subscriber = new IdleSubscriber<>();
      locker.tryAcquire(key, OPTIONS).subscribe(subscriber);
      RaceTestUtils.race(() -> subscriber.request(1), subscriber::cancel);
      assertIsFreeUnlessDelivered(key, subscriber.values);
    }
    assertNothingRemains();
  }

  /** The clock is read at many places on the way of an attempt: this one cancels at one of them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void cancelInTheMidstOfRequestLeavesNothing(int reading) {
    IdleSubscriber<Lock> subscriber = new IdleSubscriber<>();
    AtomicInteger readings = new AtomicInteger();
    VirtualTimeScheduler time = VirtualTimeScheduler.create();
    Scheduler cancelling =
        new Scheduler() {
          @Override
          public long now(TimeUnit unit) {
            if (readings.incrementAndGet() == reading) {
              subscriber.cancel();
            }
            return time.now(unit);
          }

          @Override
          public Disposable schedule(Runnable task) {
            return time.schedule(task);
          }

          @Override
          public Disposable schedule(Runnable task, long delay, TimeUnit unit) {
            return time.schedule(task, delay, unit);
          }

          @Override
          public Worker createWorker() {
            return time.createWorker();
          }
        };
    ReactiveLocker cancelled =
        ReactiveLocker.builder(store)
            .publishOn(Schedulers.immediate())
            .timer(cancelling)
            .closeTimeout(Duration.ofHours(1))
            .build();
    readings.set(0);
    cancelled.tryAcquire("a", OPTIONS).subscribe(subscriber);
    subscriber.request(1);

    subscriber.values.forEach(lock -> lock.release().block());
    assertThat(memory.inspect("a").blockOptional()).isEmpty();
    cancelled.close().block(Duration.ofSeconds(5));
  }

  @Test
  void cancelAgainstGrantAbandonsAtMostOnce() {
    int delivered = 0;
    for (int i = 0; i < ROUNDS; i++) {
      HeldBack held = HeldBack.answer();
      store.next(ACQUIRE, held);
      String key = "key" + i;
      SignalProbe<Lock> probe = new SignalProbe<>();
      locker.tryAcquire(key, OPTIONS).subscribe(probe);
      RaceTestUtils.race(held::letThrough, probe::cancel);
      assertIsFreeUnlessDelivered(key, probe.values);
      delivered += probe.values.size();
    }
    assertNothingRemains();
    int abandoned = ROUNDS - delivered;
    await().untilAsserted(() -> assertThat(observed.count("abandoned")).isEqualTo(abandoned));
    assertThat(observed.count("notAcquired")).isEqualTo(abandoned);
  }

  @Test
  @DisplayName("B34: a grant against the end of waiting gives the lock or the error, never both")
  void grantAgainstTheEndOfWaiting() {
    LockOptions options = OPTIONS.waitAtMost(Duration.ofMillis(2));
    Flux.range(0, ROUNDS)
        .flatMap(
            i -> {
              store.next(ACQUIRE, delayed(Duration.ofMillis(2)));
              return locker
                  .acquire("key" + i, options)
                  .flatMap(Lock::release)
                  .onErrorComplete(LockException.class);
            },
            16)
        .blockLast();
    assertNothingRemains();
  }

  private ScriptedStore.CallOutcome delayed(Duration delay) {
    return new ScriptedStore.CallOutcome() {
      @Override
      public <T> Mono<T> of(Mono<T> call) {
        return call.delayElement(delay, eventLoop);
      }
    };
  }

  @Test
  void noWaiterIsForgottenByASpecWithoutDelay() {
    contend(Retry.indefinitely());
  }

  @Test
  void noWaiterIsForgottenByASpecOfTheShortestDelays() {
    contend(Retry.fixedDelay(Long.MAX_VALUE, Duration.ZERO));
  }

  /** Waiters whose holder's ttl is far off go on only if their spec says so. */
  private void contend(Retry retry) {
    store.always(ACQUIRE, ScriptedStore.answersOn(eventLoop));
    LockOptions options = OPTIONS.retry(retry).waitAtMost(Duration.ofSeconds(20));
    long served =
        Flux.range(0, 64)
            .flatMap(
                i ->
                    Flux.range(0, 20)
                        .concatMap(
                            j ->
                                locker.withLock(
                                    "key" + i % 16, options, lock -> Mono.just("done"))),
                64)
            .count()
            .block();
    assertThat(served).isEqualTo(64 * 20);
    assertNothingRemains();
  }

  /** Requests nothing by itself. */
  private static final class IdleSubscriber<T> extends BaseSubscriber<T> {
    final List<T> values = new CopyOnWriteArrayList<>();

    @Override
    protected void hookOnSubscribe(Subscription subscription) {}

    @Override
    protected void hookOnNext(T value) {
      values.add(value);
    }
  }
}
