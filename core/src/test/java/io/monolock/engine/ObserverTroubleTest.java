// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockObserver;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import io.monolock.test.CapturedLog;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** Observers that are slow, or throw, on real threads. */
class ObserverTroubleTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

  /** Enough that some of them are signalled on each thread. */
  private static final int KEYS = 16 * Runtime.getRuntime().availableProcessors();

  private static final Duration LONG = Duration.ofSeconds(3);

  private volatile boolean over;

  @AfterEach
  void end() {
    over = true;
  }

  /** Asks for locks more often than the observer can be told, until the test is over. */
  private void load(ReactiveLocker locker, long pause) {
    Thread load =
        new Thread(
            () -> {
              for (int i = 0; !over; i++) {
                locker.tryAcquire("load" + i % 64, OPTIONS).flatMap(Lock::release).subscribe();
                LockSupport.parkNanos(pause);
              }
            },
            "load");
    load.setDaemon(true);
    load.start();
  }

  private void assertGivesSignals(ReactiveLocker locker) {
    for (int round = 0; round < 5; round++) {
      List<Integer> signalled =
          Flux.range(0, KEYS)
              .flatMap(
                  i -> locker.withLock("key" + i, OPTIONS, lock -> Mono.just(i)).onErrorComplete(),
                  KEYS)
              .take(LONG, Schedulers.boundedElastic())
              .collectList()
              .block(LONG.multipliedBy(2));

      assertThat(signalled).as("keys signalled in round %s", round).hasSize(KEYS);
    }
  }

  @Test
  void slowObserverDelaysOnlyItsOwnEvents() {
    ReactiveLocker locker =
        ReactiveLocker.builder(InMemoryLockStore.create()).observer(new Slow()).build();
    load(locker, 20_000);

    assertGivesSignals(locker);
  }

  @Test
  void boundOfTheBacklogOfAnObserverThatHangsIsToldOnce() {
    CountDownLatch free = new CountDownLatch(1);
    LockObserver hanging =
        new LockObserver() {
          @Override
          public void asked(long id, Set<String> keys, ContextView context) {
            try {
              free.await(20, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
        };
    Scheduler users = Schedulers.newBoundedElastic(4, Integer.MAX_VALUE, "users");
    try (CapturedLog log = new CapturedLog()) {
      ReactiveLocker locker =
          ReactiveLocker.builder(InMemoryLockStore.create())
              .publishOn(users)
              .observer(hanging)
              .build();
      for (int i = 0; i < 100_000; i++) {
        locker.tryAcquire("a", OPTIONS).subscribe();
      }

      assertThat(log.lines("WARN"))
          .filteredOn(line -> line.contains("observer"))
          .as("warnings about the observer")
          .hasSize(1);
    } finally {
      free.countDown();
      users.dispose();
    }
  }

  @Test
  void checkedExceptionOfAnObserverEndsNothing() {
    AtomicInteger told = new AtomicInteger();
    LockObserver throwing =
        new LockObserver() {
          @Override
          public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
            if (told.incrementAndGet() == 1) {
              sneak(new IOException("by test"));
            }
          }
        };
    ReactiveLocker locker =
        ReactiveLocker.builder(InMemoryLockStore.create()).observer(throwing).build();
    for (int i = 0; i < 100; i++) {
      locker.withLock("a", OPTIONS, lock -> Mono.just(1)).block(LONG);
    }

    await().atMost(LONG).untilAsserted(() -> assertThat(told).hasValue(100));
  }

  /** Throws a checked exception without saying so, as code in Kotlin may. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable e) throws E {
    throw (E) e;
  }

  /** Needs a moment for each event, until the test is over. */
  private final class Slow implements LockObserver {
    private long done;

    private void work() {
      long end = System.nanoTime() + 100_000;
      while (System.nanoTime() < end && !over) {
        done++;
      }
    }

    @Override
    public void asked(long id, Set<String> keys, ContextView context) {
      work();
    }

    @Override
    public void acquired(long id, Set<String> keys, Duration waited, int attempts) {
      work();
    }

    @Override
    public void released(long id, Set<String> keys, Duration held, boolean wasOurs) {
      work();
    }
  }
}
