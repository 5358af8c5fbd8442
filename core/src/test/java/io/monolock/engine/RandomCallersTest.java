// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Random calls from several threads, many of them cancelled at a random moment. */
@Timeout(60)
class RandomCallersTest {

  private static final List<String> KEYS = List.of("a", "b", "c");
  private static final int CALLS = 100;

  private final InMemoryLockStore store = InMemoryLockStore.create();
  private final ReactiveLocker locker = ReactiveLocker.create(store);
  private final Map<String, Lock> holders = new ConcurrentHashMap<>();
  private final AtomicInteger overlaps = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();

  private void callAtRandom(Random random) {
    for (int i = 0; i < CALLS; i++) {
      List<String> keys = new ArrayList<>(KEYS);
      keys.removeIf(any -> random.nextInt(3) == 0);
      if (keys.isEmpty()) {
        keys.add("a");
      }
      open.incrementAndGet();
      Disposable call =
          call(keys, options(random), random)
              .doFinally(end -> open.decrementAndGet())
              .subscribe(any -> {}, e -> {});
      if (random.nextInt(3) == 0) {
        LockSupport.parkNanos(random.nextInt(300_000));
        call.dispose();
      }
    }
  }

  private static LockOptions options(Random random) {
    LockOptions options =
        LockOptions.of(Duration.ofMillis(random.nextInt(4) == 0 ? 15 : 400))
            .waitAtMost(Duration.ofMillis(random.nextInt(200)))
            .finishOnCancel(random.nextInt(4) == 0)
            .fenced(random.nextBoolean());
    return switch (random.nextInt(10)) {
      case 0 -> options.holdAtLeast(Duration.ofMillis(random.nextInt(30)));
      case 1 -> options.maxHold(Duration.ofMillis(10 + random.nextInt(100)));
      default -> options;
    };
  }

  private Flux<?> call(List<String> keys, LockOptions options, Random random) {
    Duration work = Duration.ofMillis(random.nextInt(5));
    return switch (random.nextInt(4)) {
      case 0 ->
          locker
              .tryAcquire(keys, options)
              .flatMap(lock -> Mono.delay(work).then(lock.release()))
              .flux();
      case 1 ->
          locker.withLockMany(keys, options, lock -> body(lock, work).thenMany(Flux.range(0, 3)));
      default -> locker.withLock(keys, options, lock -> body(lock, work)).flux();
    };
  }

  private Mono<Long> body(Lock lock, Duration work) {
    return Mono.defer(
        () -> {
          for (String key : lock.keys()) {
            Lock before = holders.put(key, lock);
            if (before != null && lock.isValid() && before.isValid()) {
              overlaps.incrementAndGet();
            }
          }
          return Mono.delay(work);
        });
  }

  @Test
  void locksExcludeEachOtherAndNothingIsLeftInTheEnd() throws InterruptedException {
    List<Thread> callers =
        IntStream.range(0, 4)
            .mapToObj(seed -> new Thread(() -> callAtRandom(new Random(seed))))
            .toList();
    callers.forEach(Thread::start);
    for (Thread caller : callers) {
      caller.join();
    }

    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(
            () -> {
              assertThat(open).as("calls without an end").hasValue(0);
              assertThat(locker.activity()).isEmpty();
              assertThat(KEYS).allMatch(key -> store.inspect(key).blockOptional().isEmpty());
            });
    assertThat(overlaps).as("locks valid at the same time").hasValue(0);
  }
}
