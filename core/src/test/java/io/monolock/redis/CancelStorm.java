// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.LockStore;
import io.monolock.test.DroppedSignals;
import io.monolock.test.FaultProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Scopes cancelled at a random moment leave nothing in Redis (G4), and nothing is dropped on the
 * way. {@code -Dmonolock.storm.rounds} says how many of each kind, {@code -Dmonolock.storm.delay}
 * by how many milliseconds at most the network delays each direction, by a random time that changes
 * all the while.
 */
@ExtendWith(DroppedSignals.class)
public abstract class CancelStorm {

  private static final int ROUNDS = Integer.getInteger("monolock.storm.rounds", 400);
  private static final int DELAY = Integer.getInteger("monolock.storm.delay", 0);

  /** Enough for the way there and back, and for a moment in the body. */
  private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(2 + 3L * DELAY);

  private static final int IN_FLIGHT = 32;
  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(60));

  private FaultProxy proxy;
  private Disposable weather;
  private RedisClient client;
  private ReactiveLocker locker;

  /** The server, which is empty at the beginning. */
  protected abstract RedisURI server();

  protected abstract List<?> keys();

  /** The section of {@code INFO} that counts commands. */
  protected abstract String commandStats();

  /** What the locker keeps its locks in. */
  protected LockStore store(RedisClient client) {
    return RedisLockStore.create(client);
  }

  @BeforeEach
  void open() {
    proxy = FaultProxy.before(server().getHost(), server().getPort());
    weather = DELAY > 0 ? changingDelays() : Disposables.disposed();
    client = RedisClient.create(DELAY > 0 ? RedisURI.create(proxy.uri()) : server());
    locker = ReactiveLocker.create(store(client));
    locker.withLock("warm-up", OPTIONS, lock -> Mono.empty()).block(Duration.ofSeconds(10));
  }

  @AfterEach
  void close(DroppedSignals dropped) {
    locker.close().block(Duration.ofSeconds(10));
    client.shutdown(0, 0, TimeUnit.SECONDS);
    weather.dispose();
    proxy.close();
    assertNoLockIsDropped(dropped);
  }

  /** The outcome of a release that is cancelled while it comes, Reactor's time-out drops. */
  private static void assertNoLockIsDropped(DroppedSignals dropped) {
    dropped.allow();
    assertThat(dropped.errors()).isEmpty();
    assertThat(dropped.values()).allMatch(Boolean.class::isInstance);
  }

  private Disposable changingDelays() {
    return Schedulers.boundedElastic()
        .schedulePeriodically(
            () -> {
              proxy.delayRequests(randomDelay());
              proxy.delayReplies(randomDelay());
            },
            0,
            DELAY,
            TimeUnit.MILLISECONDS);
  }

  private static Duration randomDelay() {
    long most = TimeUnit.MILLISECONDS.toNanos(DELAY);
    return Duration.ofNanos(
        ThreadLocalRandom.current().nextLong(TimeUnit.MILLISECONDS.toNanos(1), most + 1));
  }

  /** What is cancelled, by its number of the round. */
  private record Kind(String name, IntFunction<Mono<?>> of, ReactiveLocker[] locker) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Kind> kinds() {
    ReactiveLocker[] locker = new ReactiveLocker[1];
    return Stream.of(
        new Kind(
            "a scope on a key of its own",
            i -> locker[0].withLock("own:" + i, OPTIONS, lock -> Mono.never()),
            locker),
        new Kind(
            "a scope on three keys",
            i ->
                locker[0].withLock(
                    List.of("{" + i + "}a", "{" + i + "}b", "{" + i + "}c"),
                    OPTIONS,
                    lock -> Mono.never()),
            locker),
        new Kind(
            "a scope with a time-out",
            i ->
                locker[0]
                    .withLock("timed:" + i, OPTIONS, lock -> Mono.never())
                    .timeout(Duration.ofNanos(nanos())),
            locker),
        new Kind(
            "a scope on a contended key",
            i -> locker[0].withLock("contended", OPTIONS, lock -> Mono.never()),
            locker),
        new Kind(
            "a short scope on a contended key",
            i -> locker[0].withLock("contended", OPTIONS, lock -> Mono.just(i)),
            locker),
        new Kind(
            "an acquisition that is released at once",
            i -> locker[0].acquire("raw:" + i, OPTIONS).flatMap(Lock::release),
            locker),
        new Kind(
            "a fenced scope that is attempted once",
            i ->
                locker[0].withLock(
                    "contended", OPTIONS.fenced(true).waitAtMost(Duration.ZERO), l -> Mono.never()),
            locker));
  }

  @ParameterizedTest
  @MethodSource("kinds")
  @DisplayName(
      "B23, B25, B27, B33, B130: cancelled after a random time, it leaves no key and no script")
  void leavesNothingBehind(Kind kind) throws InterruptedException {
    kind.locker()[0] = locker;
    AtomicInteger ended = new AtomicInteger();
    Semaphore free = new Semaphore(IN_FLIGHT);
    for (int i = 0; i < ROUNDS; i++) {
      free.acquire();
      ToBeCancelled subscriber =
          new ToBeCancelled(
              () -> {
                ended.incrementAndGet();
                free.release();
              });
      kind.of().apply(i).subscribe(subscriber);
      Schedulers.single().schedule(subscriber::dispose, nanos(), TimeUnit.NANOSECONDS);
    }
    free.acquire(IN_FLIGHT);
    assertThat(ended).hasValue(ROUNDS);

    await()
        .pollInterval(Duration.ofMillis(20))
        .atMost(Duration.ofSeconds(20)) // the ttl is three times as long
        .untilAsserted(() -> assertThat(lockKeys()).isEmpty());
    long scripts = scripts();
    await()
        .during(Duration.ofMillis(500))
        .atMost(Duration.ofSeconds(20))
        .until(() -> scripts() == scripts && lockKeys().isEmpty());
  }

  private static long nanos() {
    return ThreadLocalRandom.current().nextLong(LONGEST);
  }

  private List<?> lockKeys() {
    return keys().stream().filter(key -> !key.toString().endsWith(":fence")).toList();
  }

  /** How many scripts have run since the server was started. */
  private long scripts() {
    return commandStats()
        .lines()
        .filter(line -> line.startsWith("cmdstat_eval"))
        .mapToLong(line -> Long.parseLong(line.replaceAll(".*calls=(\\d+),.*", "$1")))
        .sum();
  }

  /** Does not care which comes first, its cancel or the end; so only others can drop anything. */
  private static final class ToBeCancelled implements CoreSubscriber<Object>, Disposable {
    private final AtomicReference<Runnable> atEnd;
    private volatile Subscription subscription;

    ToBeCancelled(Runnable atEnd) {
      this.atEnd = new AtomicReference<>(atEnd);
    }

    @Override
    public void onSubscribe(Subscription subscription) {
      this.subscription = subscription;
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object value) {}

    @Override
    public void onError(Throwable e) {
      end();
    }

    @Override
    public void onComplete() {
      end();
    }

    @Override
    public void dispose() {
      subscription.cancel();
      end();
    }

    private void end() {
      Runnable once = atEnd.getAndSet(null);
      if (once != null) {
        once.run();
      }
    }
  }
}
