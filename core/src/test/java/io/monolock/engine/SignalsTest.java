// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.engine.ScriptedStore.StoreOperation;
import io.monolock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.scheduler.VirtualTimeScheduler;

/** On which threads, and when, signals arrive; on real threads. */
@Timeout(60)
class SignalsTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ofSeconds(20));
  private static final Duration SOON = Duration.ofSeconds(5);
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

  private final Scheduler eventLoop = Schedulers.newSingle("event-loop");
  private final Scheduler timer = Schedulers.newSingle("timer");
  private final InMemoryLockStore memory = InMemoryLockStore.create();
  private final ScriptedStore store = new ScriptedStore(memory);
  private final Collection<String> threads = new ConcurrentLinkedQueue<>();

  @AfterEach
  void stop() {
    eventLoop.dispose();
    timer.dispose();
    Schedulers.resetOnScheduleHook("user");
  }

  private void answerOnTheEventLoop() {
    for (StoreOperation call : StoreOperation.values()) {
      store.always(call, ScriptedStore.answersOn(eventLoop));
    }
  }

  private void noteThread() {
    threads.add(Thread.currentThread().getName());
  }

  /** Computes until it is told to end. */
  private static long computeUntil(AtomicBoolean end) {
    long steps = 0;
    while (!end.get()) {
      steps++;
    }
    return steps;
  }

  /** Waits until a timer that counts as the locker's does has come this far. */
  private void pass(Duration time) {
    Mono.delay(time, timer).block(time.plus(SOON));
    Mono.fromRunnable(() -> {}).subscribeOn(eventLoop).block(SOON);
  }

  /** A scheduler of two threads that takes no more work until it is let go on. */
  private static final class FullScheduler implements AutoCloseable {
    final Scheduler scheduler = Schedulers.newBoundedElastic(2, 2, "users");
    private final CountDownLatch goOn = new CountDownLatch(1);

    void fill() {
      try {
        for (int i = 0; i < 100; i++) {
          scheduler.schedule(this::hang);
        }
        throw new AssertionError("takes as much work as it is given");
      } catch (RejectedExecutionException e) {
        // it is full
      }
    }

    private void hang() {
      try {
        goOn.await(30, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Blocks, or computes in a thread that must not be blocked. */
    void hang(AtomicBoolean end) {
      if (Schedulers.isInNonBlockingThread()) {
        computeUntil(end);
      } else {
        hang();
      }
    }

    void goOn() {
      goOn.countDown();
    }

    @Override
    public void close() {
      goOn();
      scheduler.dispose();
    }
  }

  @Test
  void bodiesWaitUntilAFullPublishOnHasRoom() {
    answerOnTheEventLoop();
    try (FullScheduler users = new FullScheduler()) {
      ReactiveLocker locker =
          ReactiveLocker.builder(store).publishOn(users.scheduler).timer(timer).build();
      users.fill();
      for (int i = 0; i < 8; i++) {
        locker.withLock("a" + i, OPTIONS, lock -> Mono.fromRunnable(this::noteThread)).subscribe();
      }
      pass(Duration.ofMillis(100));
      assertThat(threads).as("threads while it was full").isEmpty();

      users.goOn();
      await().atMost(SOON).untilAsserted(() -> assertThat(threads).hasSize(8));
      assertThat(threads).allMatch(thread -> thread.startsWith("users"));
    }
  }

  @Test
  void timeoutsWaitUntilAFullPublishOnHasRoom() {
    answerOnTheEventLoop();
    try (FullScheduler users = new FullScheduler()) {
      ReactiveLocker locker =
          ReactiveLocker.builder(store).publishOn(users.scheduler).timer(timer).build();
      locker.acquire("a", OPTIONS).block(SOON);
      users.fill();
      for (int i = 0; i < 8; i++) {
        locker
            .acquire("a", OPTIONS.waitAtMost(Duration.ofMillis(200)))
            .subscribe(lock -> {}, e -> noteThread());
      }
      pass(Duration.ofMillis(400));
      assertThat(threads).as("threads while it was full").isEmpty();

      users.goOn();
      await().atMost(SOON).untilAsserted(() -> assertThat(threads).hasSize(8));
      assertThat(threads).allMatch(thread -> thread.startsWith("users"));
    }
  }

  @Test
  void lockIsRefreshedWhileBodiesBlockAllThreadsOfPublishOn() {
    answerOnTheEventLoop();
    AtomicBoolean end = new AtomicBoolean();
    try (FullScheduler users = new FullScheduler()) {
      ReactiveLocker locker =
          ReactiveLocker.builder(store).publishOn(users.scheduler).timer(timer).build();
      LockOptions options = LockOptions.of(Duration.ofSeconds(1));
      AtomicBoolean runs = new AtomicBoolean();
      locker
          .withLock("a", options, lock -> Mono.never().doOnSubscribe(any -> runs.set(true)))
          .subscribe(any -> {}, e -> {});
      await().atMost(SOON).untilTrue(runs);
      users.fill();
      for (int i = 0; i < 8; i++) {
        locker
            .withLock("b" + i, OPTIONS, lock -> Mono.fromRunnable(() -> users.hang(end)))
            .subscribe(any -> {}, e -> {});
      }
      Mono.delay(Duration.ofSeconds(2), timer).block(SOON);

      assertThat(memory.inspect("a").block(SOON)).as("holder after two ttl's").isNotNull();
    } finally {
      end.set(true);
    }
  }

  private String threadOfABody(ReactiveLocker locker) {
    return locker
        .withLock("a", OPTIONS, lock -> Mono.fromCallable(() -> Thread.currentThread().getName()))
        .block(SOON);
  }

  @Test
  void bodiesStayOffTheEventLoopAfterTheSchedulersWereShutDown() {
    ReactiveLocker locker = ReactiveLocker.builder(store).timer(timer).build();
    Schedulers.shutdownNow();
    answerOnTheEventLoop();

    assertThat(threadOfABody(locker)).doesNotStartWith("event-loop").doesNotStartWith("timer");
  }

  @Test
  void manyBodiesRunOneAfterTheOtherAfterTheSchedulersWereShutDown() {
    ReactiveLocker locker = ReactiveLocker.builder(store).timer(timer).build();
    Schedulers.shutdownNow();
    AtomicInteger ran = new AtomicInteger();
    locker
        .withLock("a", OPTIONS, lock -> Mono.fromCallable(ran::incrementAndGet))
        .repeat(2_000)
        .blockLast(SOON.multipliedBy(4));

    assertThat(ran).hasValue(2_001);
  }

  @Test
  void bodiesStayOffTheEventLoopAfterVirtualTimeWasUsed() {
    ReactiveLocker locker = ReactiveLocker.builder(store).timer(timer).build();
    VirtualTimeScheduler.getOrSet();
    VirtualTimeScheduler.reset();
    answerOnTheEventLoop();

    assertThat(threadOfABody(locker)).doesNotStartWith("event-loop").doesNotStartWith("timer");
  }

  /** All threads of the default scheduler. */
  private static void keepAllThreadsBusyUntil(AtomicBoolean free) {
    AtomicInteger busy = new AtomicInteger();
    for (int i = 0; i < PROCESSORS; i++) {
      Schedulers.parallel()
          .schedule(
              () -> {
                busy.incrementAndGet();
                computeUntil(free);
              });
    }
    await().atMost(SOON).untilAsserted(() -> assertThat(busy).hasValue(PROCESSORS));
  }

  @Test
  void aLoneSignalThatWaitsInASchedulerThatIsShutDownArrivesAllTheSame() {
    ReactiveLocker locker = ReactiveLocker.create(store);
    AtomicBoolean free = new AtomicBoolean();
    keepAllThreadsBusyUntil(free);
    CompletableFuture<Lock> lone = locker.tryAcquire("a", OPTIONS).toFuture();
    Schedulers.shutdownNow();
    free.set(true);

    assertThat(lone).succeedsWithin(SOON);
    locker.close().block(SOON);
  }

  @Test
  void oneMoreTaskJoinsWhenSignalsTakeLong() {
    assumeTrue(PROCESSORS > 1, "one thread only");
    VirtualTimeScheduler time = VirtualTimeScheduler.create();
    SignalQueue queue = new SignalQueue(time, Runnable::run);
    AtomicBoolean free = new AtomicBoolean();
    AtomicInteger begun = new AtomicInteger();
    queue.run(begun::incrementAndGet);
    for (int i = 0; i < 3; i++) {
      queue.run(
          () -> {
            begun.incrementAndGet();
            computeUntil(free);
          });
    }
    await().atMost(SOON).untilAsserted(() -> assertThat(begun).hasValue(2));
    time.advanceTimeBy(Duration.ofMillis(2));

    await().atMost(SOON).untilAsserted(() -> assertThat(begun).hasValue(3));
    free.set(true);
    await().atMost(SOON).untilAsserted(() -> assertThat(begun).hasValue(4));
  }

  @Test
  void signalsThatWaitInASchedulerThatIsShutDownArriveAllTheSame() {
    ReactiveLocker locker = ReactiveLocker.create(store);
    AtomicBoolean free = new AtomicBoolean();
    keepAllThreadsBusyUntil(free);
    List<CompletableFuture<Lock>> waiting =
        IntStream.range(0, 4 * PROCESSORS)
            .mapToObj(i -> locker.tryAcquire("waiting" + i, OPTIONS).toFuture())
            .toList();
    Schedulers.shutdownNow();
    free.set(true);
    List<CompletableFuture<Lock>> later =
        IntStream.range(0, 4 * PROCESSORS)
            .mapToObj(i -> locker.tryAcquire("later" + i, OPTIONS).toFuture())
            .toList();

    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertThat(waiting).as("in flight").allMatch(CompletableFuture::isDone);
              assertThat(later).as("later ones").allMatch(CompletableFuture::isDone);
            });
    locker.close().block(SOON);
  }

  @Test
  void manyWaitersAreServedInThePresentThreadWithoutRecursion() {
    ReactiveLocker locker = ReactiveLocker.builder(store).publishOn(Schedulers.immediate()).build();
    Lock holder = locker.acquire("a", OPTIONS).block(SOON);
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < 5_000; i++) {
      locker
          .withLock("a", OPTIONS, lock -> Mono.just(1))
          .subscribe(any -> served.incrementAndGet(), e -> {});
    }
    holder.release().subscribe();

    await().atMost(SOON.multipliedBy(2)).untilAsserted(() -> assertThat(served).hasValue(5_000));
  }

  @Test
  void locksThatWereAnsweredInTimeAreNoErrorsBecauseABodyIsBusy() {
    ReactiveLocker locker =
        ReactiveLocker.builder(store).commandTimeout(Duration.ofMillis(200)).timer(timer).build();
    LockOptions options = OPTIONS.ttl(Duration.ofMillis(400));
    AtomicBoolean runs = new AtomicBoolean();
    AtomicBoolean end = new AtomicBoolean();
    locker
        .withLock(
            "a",
            OPTIONS,
            lock ->
                Mono.fromRunnable(
                    () -> {
                      runs.set(true);
                      computeUntil(end);
                    }))
        .subscribe();
    await().atMost(SOON).untilTrue(runs);
    Collection<Throwable> errors = new ConcurrentLinkedQueue<>();
    AtomicInteger released = new AtomicInteger();
    int keys = 8 * PROCESSORS;
    Flux.range(0, keys)
        .flatMap(
            i ->
                locker
                    .acquire("b" + i, options)
                    .flatMap(Lock::release)
                    .doOnError(errors::add)
                    .onErrorComplete(),
            keys)
        .subscribe(any -> released.incrementAndGet());
    pass(Duration.ofSeconds(1));
    end.set(true);

    await().atMost(SOON).until(() -> released.get() + errors.size() == keys);
    assertThat(errors).as("errors of %s acquisitions", keys).isEmpty();
  }

  @Test
  void bodySeesTheThreadLocalsOfItsOwnSubscriber() throws InterruptedException {
    ThreadLocal<String> user = new ThreadLocal<>();
    Schedulers.onScheduleHook(
        "user",
        task -> {
          String subscriber = user.get();
          return () -> {
            String before = user.get();
            user.set(subscriber);
            try {
              task.run();
            } finally {
              user.set(before);
            }
          };
        });
    ReactiveLocker locker = ReactiveLocker.create(store);
    Collection<String> seen = new ConcurrentLinkedQueue<>();
    List<Thread> subscribers =
        IntStream.range(0, 4)
            .mapToObj(
                number ->
                    new Thread(
                        () -> {
                          String name = "user" + number;
                          user.set(name);
                          for (int i = 0; i < 500; i++) {
                            locker
                                .withLock(
                                    name + "-" + i,
                                    OPTIONS,
                                    lock ->
                                        Mono.fromRunnable(
                                            () -> seen.add(name + " saw " + user.get())))
                                .subscribe();
                          }
                        }))
            .toList();
    subscribers.forEach(Thread::start);
    for (Thread subscriber : subscribers) {
      subscriber.join();
    }

    await().atMost(SOON).untilAsserted(() -> assertThat(seen).hasSize(2_000));
    assertThat(seen)
        .containsOnly("user0 saw user0", "user1 saw user1", "user2 saw user2", "user3 saw user3");
  }
}
