// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockLostException.Reason;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.test.HeldReplies;
import io.monolock.test.KeyScanner;
import io.monolock.test.Race;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Refreshing goes on through faults that end in time, and ends with the lock. */
class RefreshUnderFaultsTest extends LockerBehindProxy {

  private static final Duration TTL = Duration.ofSeconds(2);

  private static final Duration BRIEF = Duration.ofMillis(1_200);

  /** Longer than a refresh is away, shorter than what is left of the lease then. */
  private static final Duration SHORT = Duration.ofSeconds(1);

  RefreshUnderFaultsTest(RedisServer server) {
    super(server);
  }

  private Lock acquire(String key, LockOptions options) {
    return locker.acquire(key, options).block(LIMIT);
  }

  static Stream<Trouble> troubles() {
    return Stream.concat(
        Trouble.all(),
        Stream.of(
            new Trouble(
                "a server that is still loading",
                Reason.REFUSED,
                test -> {
                  test.server.restartLoading(Duration.ofMillis(300));
                  return () -> {};
                }),
            new Trouble(
                "a server without memory",
                Reason.REFUSED,
                test -> {
                  test.server.configure("maxmemory", "1");
                  return test.server::restoreSettings;
                })));
  }

  @ParameterizedTest
  @MethodSource("troubles")
  @DisplayName("B06 B07 B18: trouble that is shorter than the lease never loses the lock")
  void shortTroubleLosesNothing(Trouble trouble) throws Exception {
    Lock lock = acquire("key", LockOptions.of(TTL));
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();

    AutoCloseable end = trouble.beginFor(this);
    pass(SHORT);
    end.close();
    pass(TTL);

    assertThat(loss).isNotDone();
    assertThat(lock.isValid()).isTrue();
    assertThat(pttl("key")).isPositive();
    assertThat(events.count("lost")).isZero();
    assertThat(released(lock)).isTrue();
    await().until(loss::isCompletedExceptionally);
  }

  @Test
  @DisplayName("B10: one failed refresh is reported to the observer, and is no loss")
  void oneFailureIsNoLoss() {
    Lock lock = acquire("key", LockOptions.of(TTL));
    Disposable keepAlive = lock.keepAlive().subscribe();
    server.configure("min-replicas-to-write", "1");
    await().until(() -> events.count("refreshFailed") > 0);

    server.restoreSettings();

    await().until(() -> events.count("refreshed") > 0);
    assertThat(events.count("lost")).isZero();
    assertThat(lock.isValid()).isTrue();
    keepAlive.dispose();
  }

  @Test
  @DisplayName("B01: a release that races with the start of refreshing leaves nothing running")
  void releaseAgainstTheStartOfRefreshing() {
    LockOptions options = LockOptions.of(Duration.ofMillis(300));
    AtomicInteger round = new AtomicInteger();
    Race.run(
        300,
        () -> {
          Lock lock = acquire("key" + round.incrementAndGet(), options);
          CompletableFuture<Object> loss = new CompletableFuture<>();
          return Race.between(
                  () -> lock.keepAlive().subscribe(loss::complete, loss::completeExceptionally),
                  () -> assertThat(released(lock)).isTrue())
              .thenCheck(
                  () ->
                      await()
                          .pollInterval(Duration.ofMillis(1))
                          .until(loss::isCompletedExceptionally));
        });

    pass(Duration.ofMillis(300));

    assertThat(KeyScanner.of(server).matching("key*")).isEmpty();
    assertThat(asked.extendedAfterRelease()).isEmpty();
  }

  @Test
  @DisplayName("B01 B19: nothing is refreshed after a release that comes when a refresh is due")
  void releaseAgainstADueRefresh() {
    openWithLongTimeout();
    LockOptions options = LockOptions.of(Duration.ofMillis(600)).holdAtLeast(Duration.ofMillis(10));
    Flux.range(0, 500)
        .flatMap(
            i ->
                locker
                    .acquire("key" + i, options)
                    .doOnNext(lock -> lock.keepAlive().subscribe(any -> {}, e -> {}))
                    .delayElement(Duration.ofMillis(170 + i % 30))
                    .flatMap(Lock::release),
            100)
        .blockLast(LIMIT);

    assertThat(asked.extendedAfterRelease()).isEmpty();
    assertThat(KeyScanner.of(server).matching("key*")).isEmpty();
  }

  @Test
  @DisplayName("B02: after a release that failed with the network nothing is refreshed any more")
  void failedReleaseEndsTheRefreshing() {
    Lock lock = acquire("key", LockOptions.of(TTL));
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();
    await().until(() -> asked.extensions("key") > 0);
    proxy.refuse();
    proxy.cut();
    long extensions = asked.extensions("key");

    assertThat(lock.release().onErrorComplete(LockStoreException.class).block(LIMIT)).isNull();
    proxy.accept();

    await().atMost(TTL).until(() -> isFree("key"));
    pass(TTL);
    assertThat(asked.extensions("key")).isEqualTo(extensions);
    assertThat(isFree("key")).isTrue();
    await().until(loss::isCompletedExceptionally);
  }

  @Test
  @DisplayName("B03: a scope cancelled while the server stands still is neither kept nor refreshed")
  void cancelledAcquisitionIsNotRefreshed() {
    server.pause();
    Disposable scope =
        locker.withLock("key", LockOptions.of(TTL), lock -> Mono.never()).subscribe();
    pass(Duration.ofMillis(50));
    scope.dispose();
    server.resume();

    await().until(() -> asked.releases("key") > 0);
    assertThat(isFree("key")).isTrue();
    pass(TTL);
    assertThat(isFree("key")).isTrue();
    assertThat(asked.extensions("key")).isZero();
  }

  @Test
  @DisplayName("B08: a scope that never ends holds its lock no longer than maxHold")
  void maxHoldEndsTheLock() {
    LockOptions options = LockOptions.of(Duration.ofMillis(300)).maxHold(Duration.ofMillis(900));
    long begin = System.nanoTime();
    CompletableFuture<Object> scope =
        locker.withLock("key", options, lock -> Mono.never()).toFuture();

    await().until(scope::isDone);

    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isBetween(Duration.ofMillis(800), Duration.ofSeconds(5));
    await().until(() -> events.count("lost MAX_HOLD") == 1);
    await().until(() -> isFree("key"));
  }

  @Test
  @DisplayName("B09: hundreds of waiters on a lock that is never freed end in time, and for good")
  void waitersEnd() {
    server.command("SET", "key", "another client");
    LockOptions options = LockOptions.of(TTL).waitAtMost(Duration.ofMillis(700));
    long begin = System.nanoTime();

    long refused =
        Flux.range(0, 300)
            .flatMap(
                i ->
                    locker
                        .acquire("key", options)
                        .map(lock -> 0L)
                        .onErrorReturn(LockNotAcquiredException.class, 1L),
                300)
            .reduce(0L, Long::sum)
            .block(LIMIT);

    assertThat(refused).isEqualTo(300);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    // what was on its way may still arrive
    await()
        .until(
            () -> {
              long scripts = asked.scripts();
              pass(Duration.ofMillis(500));
              return asked.scripts() == scripts;
            });
  }

  @Test
  @DisplayName("B11: many locks are all refreshed in time on a slow network")
  void manyLocksAreKeptAlive() {
    openWithLongTimeout();
    int count = 500;
    proxy.delayReplies(Duration.ofMillis(20));
    List<Lock> locks =
        Flux.range(0, count)
            .flatMap(i -> locker.acquire("key" + i, LockOptions.of(TTL)), count)
            .collectList()
            .block(LIMIT);
    List<CompletableFuture<Object>> losses =
        locks.stream().map(lock -> lock.keepAlive().toFuture()).toList();

    pass(TTL.multipliedBy(3));

    assertThat(losses).noneMatch(CompletableFuture::isDone);
    assertThat(locks).allMatch(Lock::isValid);
    Flux.fromIterable(locks).flatMap(Lock::release, count).blockLast(LIMIT);
  }

  /** How a lock comes to its user. */
  private record Entry(String name, Function<LockerBehindProxy, Mono<Lock>> take) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Entry> entries() {
    LockOptions options = LockOptions.of(BRIEF);
    return Stream.of(
        new Entry("tryAcquire", test -> test.locker.tryAcquire("key", options)),
        new Entry("acquire", test -> test.locker.acquire("key", options)),
        new Entry(
            "acquire after a wait",
            test -> {
              test.server.command("SET", "key", "another client", "PX", "200");
              return test.locker.acquire("key", options);
            }),
        new Entry(
            "acquire of a fenced lock", test -> test.locker.acquire("key", options.fenced(true))),
        new Entry(
            "acquire of several keys",
            test -> test.locker.acquire(List.of("key", "other"), options)),
        new Entry(
            "attach",
            test ->
                test.locker
                    .acquire("key", options)
                    .flatMap(lock -> test.locker.attach(lock.keys(), lock.token(), options))));
  }

  @ParameterizedTest
  @MethodSource("entries")
  @DisplayName("B14: however a lock was taken, it is kept alive")
  void everyLockIsKeptAlive(Entry entry) {
    Lock lock = entry.take().apply(this).block(LIMIT);
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();

    pass(BRIEF.multipliedBy(2));

    assertThat(loss).isNotDone();
    assertThat(lock.isValid()).isTrue();
    assertThat(pttl("key")).isPositive();
    assertThat(released(lock)).isTrue();
  }

  @Test
  @DisplayName("B14: so are the locks of scopes, of one value or many")
  void scopesAreKeptAlive() {
    LockOptions options = LockOptions.of(BRIEF);
    Duration longer = BRIEF.multipliedBy(2);

    String one =
        locker.withLock("key", options, lock -> Mono.delay(longer).thenReturn("done")).block(LIMIT);
    List<String> many =
        locker
            .withLockMany("key", options, lock -> Mono.delay(longer).thenReturn("done"))
            .collectList()
            .block(LIMIT);

    assertThat(one).isEqualTo("done");
    assertThat(many).containsExactly("done");
  }

  @Test
  @DisplayName("B19: a refresh on its way keeps neither the release nor the key")
  void releaseDuringARefresh() {
    Lock lock = acquire("key", LockOptions.of(TTL));
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();
    long extensions;
    try (HeldReplies replies = proxy.holdReplies()) {
      await().until(() -> asked.extensions("key") > 0);
      CompletableFuture<Boolean> release = lock.release().toFuture();
      await().until(() -> isFree("key"));
      extensions = asked.extensions("key");
      replies.release();
      assertThat(release).succeedsWithin(LIMIT).isEqualTo(true);
    }

    pass(TTL);

    assertThat(asked.extensions("key")).isEqualTo(extensions);
    assertThat(isFree("key")).isTrue();
    await().until(loss::isCompletedExceptionally);
  }

  @Test
  @DisplayName("B20: answers that are slower than the refresh is frequent lose nothing")
  void slowAnswersLoseNothing() {
    openWithLongTimeout();
    Lock lock = acquire("key", LockOptions.of(TTL));
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();
    proxy.delayReplies(TTL.dividedBy(3).plusMillis(50));

    pass(TTL.multipliedBy(3));

    assertThat(loss).isNotDone();
    assertThat(lock.isValid()).isTrue();
    proxy.delayReplies(Duration.ZERO);
    lock.release().block(LIMIT);
  }
}
