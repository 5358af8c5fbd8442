// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockObserver;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.DelegatingLockStore;
import io.monolock.store.Grant;
import io.monolock.store.Holder;
import io.monolock.store.LockKeys;
import io.monolock.store.LockStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What runs on which thread, with real ones. */
@DisplayName("G7: users' code runs on publishOn, never on the store's or the timer's thread")
@Timeout(60)
class ThreadsTest {

  private static final Duration TTL = Duration.ofSeconds(30);
  private static final Duration SHORT = Duration.ofMillis(150);

  private static final Scheduler USERS = Schedulers.newBoundedElastic(4, 1_000, "users");
  private static final Scheduler TIMER = Schedulers.newSingle("timer");
  private static final Scheduler WIRE = Schedulers.newSingle("wire");
  private final InMemoryLockStore memory = InMemoryLockStore.create();
  private final LockStore store = new AnsweringOn(memory, WIRE);

  /** What happened, and on which thread. */
  private final Map<String, String> seen = new ConcurrentHashMap<>();

  private final ReactiveLocker locker =
      ReactiveLocker.builder(store)
          .publishOn(USERS)
          .timer(TIMER)
          .commandTimeout(Duration.ofMillis(300))
          .closeTimeout(Duration.ofMillis(200))
          .observer(noting())
          .build();

  @AfterEach
  void close() {
    locker.close().block();
  }

  @AfterAll
  static void disposeOfThreads() {
    USERS.dispose();
    TIMER.dispose();
    WIRE.dispose();
  }

  private void note(String what) {
    seen.put(what, Thread.currentThread().getName());
  }

  private void assertOnUsersThreads(String... whats) {
    for (String what : whats) {
      await().untilAsserted(() -> assertThat(seen).containsKey(what));
      assertThat(seen.get(what)).as(what).startsWith("users");
    }
  }

  @Test
  void aSchedulerThatThrowsKeepsNoCallerWaiting() {
    Scheduler throwing =
        new Scheduler() {
          @Override
          public Disposable schedule(Runnable task) {
            throw new IllegalStateException("by test");
          }

          @Override
          public Worker createWorker() {
            throw new IllegalStateException("by test");
          }
        };
    ReactiveLocker locker =
        ReactiveLocker.builder(InMemoryLockStore.create()).publishOn(throwing).build();

    assertThat(locker.withLock("a", TTL, lock -> Mono.just(1)).block(TTL)).isEqualTo(1);
    locker.close().block(TTL);
  }

  @Test
  void grantsRefusalsAndAnswersArriveOnPublishOn() {
    Lock lock = locker.acquire("a", TTL).doOnNext(any -> note("grant")).block();
    locker.tryAcquire("a", TTL).doOnTerminate(() -> note("empty")).block();
    locker
        .acquire("a", LockOptions.of(TTL).waitAtMost(Duration.ZERO))
        .doOnError(any -> note("refusal"))
        .onErrorComplete()
        .block();
    locker
        .acquire("a", LockOptions.of(TTL).waitAtMost(Duration.ofMillis(20)))
        .doOnError(any -> note("end of waiting"))
        .onErrorComplete()
        .block();
    lock.ttl().doOnNext(any -> note("ttl")).block();
    lock.extend(TTL).doOnTerminate(() -> note("extend")).block();
    locker.inspect("a").doOnNext(any -> note("inspect")).block();
    lock.release().doOnNext(any -> note("release")).block();
    lock.release().doOnNext(any -> note("repeated release")).block();
    lock.extend(TTL).doOnError(any -> note("lost")).onErrorComplete().block();
    lock.ttl().doOnNext(any -> note("ttl of a lost lock")).block();

    assertOnUsersThreads(
        "grant",
        "empty",
        "refusal",
        "end of waiting",
        "ttl",
        "extend",
        "inspect",
        "release",
        "repeated release",
        "lost",
        "ttl of a lost lock",
        "observer acquired",
        "observer waiting",
        "observer notAcquired",
        "observer released");
  }

  @Test
  void bodyIsSubscribedAndItsResultArrivesOnPublishOn() {
    locker
        .withLock("a", TTL, Mono.fromRunnable(() -> note("body")).thenReturn(1))
        .doOnNext(any -> note("value"))
        .block();
    locker
        .withLock("a", TTL, Mono.error(new Exception("own")))
        .doOnError(any -> note("error"))
        .onErrorComplete()
        .block();

    assertOnUsersThreads("body", "value", "error");
  }

  @Test
  void bodyIsCancelledOnPublishOnWhateverThreadCancels() {
    CountDownLatch begun = new CountDownLatch(1);
    Disposable scope =
        locker
            .withLock(
                "a",
                TTL,
                Mono.never()
                    .doOnSubscribe(any -> begun.countDown())
                    .doOnCancel(() -> note("cancel")))
            .subscribe();
    awaitLatch(begun);

    scope.dispose();

    assertOnUsersThreads("cancel");
  }

  @Test
  void restOfAFinishingBodyIsDemandedOnPublishOnWhateverThreadCancels() {
    CountDownLatch begun = new CountDownLatch(1);
    Disposable scope =
        locker
            .withLockMany(
                "a",
                LockOptions.of(TTL).finishOnCancel(true),
                lock ->
                    Flux.never()
                        .doOnRequest(n -> note(n == 1 ? "first demand" : "rest"))
                        .doOnRequest(any -> begun.countDown()))
            .subscribeWith(
                new BaseSubscriber<>() {
                  @Override
                  protected void hookOnSubscribe(Subscription subscription) {
                    request(1);
                  }
                });
    awaitLatch(begun);

    scope.dispose();

    assertOnUsersThreads("first demand", "rest");
  }

  @Test
  void lossAndTheCancelOfItsBodyArriveOnPublishOn() {
    CountDownLatch begun = new CountDownLatch(1);
    Mono<Object> scope =
        locker
            .withLock(
                "a",
                SHORT,
                Mono.never()
                    .doOnSubscribe(any -> begun.countDown())
                    .doOnCancel(() -> note("cancel")))
            .doOnError(any -> note("loss"))
            .onErrorComplete();
    Mono<Void> theft =
        Mono.fromRunnable(() -> awaitLatch(begun))
            .subscribeOn(Schedulers.boundedElastic())
            .then(memory.forceRelease("a"))
            .then();

    Mono.when(scope, theft).block();

    assertOnUsersThreads("cancel", "loss", "observer lost");
  }

  @Test
  void lossAtTheDeadlineArrivesOnPublishOn() {
    Lock lock = locker.acquire("a", LockOptions.of(SHORT).autoRefresh(false)).block();

    lock.keepAlive().doOnError(any -> note("loss")).onErrorComplete().block();

    assertOnUsersThreads("loss", "observer lost");
  }

  @Test
  void closingArrivesOnPublishOn() {
    CountDownLatch begun = new CountDownLatch(1);
    locker
        .withLock(
            "a",
            TTL,
            Mono.never().doOnSubscribe(any -> begun.countDown()).doOnCancel(() -> note("cancel")))
        .doOnError(any -> note("closed"))
        .onErrorComplete()
        .subscribe();
    awaitLatch(begun);

    locker.close().doOnTerminate(() -> note("close")).block();

    assertOnUsersThreads("cancel", "closed", "close");
  }

  @Test
  void bodyThatBlocksDoesNotDelayTheRefreshOfAnotherLock() {
    Duration ttl = Duration.ofSeconds(1);
    Lock other = locker.acquire("other", ttl).block();
    Disposable keeping = other.keepAlive().subscribe(any -> {}, e -> note("lost"));
    CountDownLatch end = new CountDownLatch(1);
    AtomicLong refreshes = new AtomicLong();

    Mono<Object> blocking = locker.withLock("a", TTL, Mono.fromRunnable(() -> awaitLatch(end)));
    Mono<Void> watching =
        Flux.interval(ttl.dividedBy(4))
            .take(8)
            .doOnNext(any -> refreshes.addAndGet(other.isValid() ? 1 : 0))
            .doOnTerminate(end::countDown)
            .then();
    Mono.when(blocking, watching).block();

    assertThat(refreshes).hasValue(8);
    assertThat(seen).doesNotContainKey("lost");
    keeping.dispose();
  }

  @RepeatedTest(20)
  @DisplayName("a loss and an element at once are signalled one after the other")
  void lossAndElementAtOnceAreSerialised() {
    CountDownLatch ended = new CountDownLatch(1);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger violations = new AtomicInteger();
    AtomicInteger ends = new AtomicInteger();
    CountDownLatch flowing = new CountDownLatch(1);
    Flux<Integer> body =
        Flux.<Integer>generate(sink -> sink.next(1)).subscribeOn(Schedulers.boundedElastic());
    locker
        .withLockMany("a", LockOptions.of(SHORT), lock -> body)
        .subscribe(
            new CoreSubscriber<Integer>() {
              @Override
              public void onSubscribe(Subscription subscription) {
                subscription.request(Long.MAX_VALUE);
              }

              @Override
              public void onNext(Integer value) {
                signal(0);
                flowing.countDown();
              }

              @Override
              public void onError(Throwable e) {
                signal(1);
                flowing.countDown(); // a busy machine may lose the lock before its first element
                ended.countDown();
              }

              @Override
              public void onComplete() {
                signal(1);
              }

              private void signal(int end) {
                if (inside.getAndIncrement() > 0 || ends.get() > 0) {
                  violations.incrementAndGet();
                }
                ends.addAndGet(end);
                inside.decrementAndGet();
              }
            });
    awaitLatch(flowing);

    memory.forceRelease("a").block();

    awaitLatch(ended);
    assertThat(violations).hasValue(0);
    assertThat(ends).hasValue(1);
  }

  @RepeatedTest(20)
  void manyReleasesAtOnceAreOne() {
    Lock lock = locker.acquire("a", TTL).block();

    var outcomes =
        Flux.range(0, 8)
            .flatMap(any -> lock.release().subscribeOn(Schedulers.parallel()))
            .collectList()
            .block();

    assertThat(outcomes).hasSize(8).containsOnly(true);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Notes the thread of every call. */
  private LockObserver noting() {
    return (LockObserver)
        Proxy.newProxyInstance(
            LockObserver.class.getClassLoader(),
            new Class<?>[] {LockObserver.class},
            (proxy, method, arguments) -> {
              note("observer " + method.getName());
              return null;
            });
  }

  /** A store whose answers arrive on a thread of its own. */
  private static final class AnsweringOn extends DelegatingLockStore {

    private final Scheduler wire;

    AnsweringOn(LockStore store, Scheduler wire) {
      super(store);
      this.wire = wire;
    }

    @Override
    public Mono<Grant> acquire(
        LockKeys keys, String token, String metadata, Duration ttl, boolean fenced) {
      return store.acquire(keys, token, metadata, ttl, fenced).publishOn(wire);
    }

    @Override
    public Mono<Boolean> extend(LockKeys keys, String token, Duration ttl) {
      return store.extend(keys, token, ttl).publishOn(wire);
    }

    @Override
    public Mono<Boolean> release(LockKeys keys, String token, Duration keepFor) {
      return store.release(keys, token, keepFor).publishOn(wire);
    }

    @Override
    public Mono<Duration> remaining(LockKeys keys, String token) {
      return store.remaining(keys, token).publishOn(wire);
    }

    @Override
    public Mono<Holder> inspect(String key) {
      return store.inspect(key).publishOn(wire);
    }

    @Override
    public Mono<Boolean> forceRelease(String key) {
      return store.forceRelease(key).publishOn(wire);
    }

    @Override
    public Mono<Void> close() {
      return store.close().publishOn(wire);
    }
  }
}
