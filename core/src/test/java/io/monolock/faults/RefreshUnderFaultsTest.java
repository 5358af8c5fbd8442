// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.test.DroppedSignals;
import io.monolock.test.HeldReplies;
import io.monolock.test.KeyScanner;
import io.monolock.test.Race;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Refreshing goes on through faults that end in time, and ends with the lock. */
@ExtendWith({RedisExtension.class, DroppedSignals.class})
class RefreshUnderFaultsTest {

  private static final Duration TTL = Duration.ofMillis(1_200);

  /** Longer than a refresh is away, shorter than what is left of the lease then. */
  private static final Duration SHORT = Duration.ofMillis(600);

  private final RedisServer server;
  private Setup setup;

  RefreshUnderFaultsTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    setup = new Setup(server);
  }

  @AfterEach
  void close() {
    setup.close();
  }

  /** For networks that are slower than the short time that a command has else. */
  private void openWithPatience() {
    setup.close();
    setup = new Setup(server, Duration.ofSeconds(2));
  }

  private Lock acquire(String key, LockOptions options) {
    return setup.locker.acquire(key, options).block(Setup.PATIENCE);
  }

  /** Trouble, until it is ended. */
  private record Trouble(String name, Function<Setup, AutoCloseable> begin) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Trouble> troubles() {
    return Stream.of(
        new Trouble(
            "a server that stands still",
            setup -> {
              setup.server.pause();
              return setup.server::resume;
            }),
        new Trouble("a busy server", setup -> setup.server.keepBusy()),
        new Trouble(
            "a server that is still loading",
            setup -> {
              setup.server.restartLoading(Duration.ofMillis(300));
              return () -> {};
            }),
        new Trouble(
            "a server that has become a replica",
            setup -> {
              setup.server.command("REPLICAOF", "127.0.0.1", "1");
              return () -> setup.server.command("REPLICAOF", "NO", "ONE");
            }),
        new Trouble(
            "a server without memory",
            setup -> {
              setup.server.configure("maxmemory", "1");
              return setup.server::restoreSettings;
            }),
        new Trouble(
            "a server without its replicas",
            setup -> {
              setup.server.configure("min-replicas-to-write", "1");
              return setup.server::restoreSettings;
            }),
        new Trouble(
            "a connection that is cut",
            setup -> {
              setup.proxy.refuse();
              setup.proxy.cut();
              return setup.proxy::accept;
            }),
        new Trouble(
            "answers that are lost",
            setup -> {
              setup.proxy.dropReplies(true);
              return () -> setup.proxy.dropReplies(false);
            }),
        new Trouble(
            "a network that swallows everything",
            setup -> {
              setup.proxy.blackHole(true);
              return () -> setup.proxy.blackHole(false);
            }));
  }

  @ParameterizedTest
  @MethodSource("troubles")
  @DisplayName("B06 B07 B18: trouble that is shorter than the lease never loses the lock")
  void shortTroubleLosesNothing(Trouble trouble) throws Exception {
    Lock lock = acquire("key", LockOptions.of(TTL));
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();

    AutoCloseable end = trouble.begin().apply(setup);
    Setup.pass(SHORT);
    end.close();
    Setup.pass(TTL.multipliedBy(2));

    assertThat(loss).isNotDone();
    assertThat(lock.isValid()).isTrue();
    assertThat(setup.pttl("key")).isPositive();
    assertThat(setup.told.count("lost")).isZero();
    assertThat(lock.release().block(Setup.PATIENCE)).isTrue();
    await().until(loss::isCompletedExceptionally);
  }

  @Test
  @DisplayName("B10: one failed refresh is told to the observer, and is no loss")
  void oneFailureIsNoLoss() {
    Lock lock = acquire("key", LockOptions.of(TTL));
    Disposable keepAlive = lock.keepAlive().subscribe();
    server.configure("min-replicas-to-write", "1");
    await().until(() -> setup.told.count("refreshFailed") > 0);

    server.restoreSettings();

    await().until(() -> setup.told.count("refreshed") > 0);
    assertThat(setup.told.count("lost")).isZero();
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
                  () -> assertThat(lock.release().block(Setup.PATIENCE)).isTrue())
              .thenCheck(
                  () ->
                      await()
                          .pollInterval(Duration.ofMillis(1))
                          .until(loss::isCompletedExceptionally));
        });

    Setup.pass(Duration.ofMillis(300));

    assertThat(KeyScanner.of(server).matching("key*")).isEmpty();
    assertThat(setup.extendedAfterRelease()).isEmpty();
  }

  @Test
  @DisplayName("B01 B19: nothing is refreshed after a release that comes when a refresh is due")
  void releaseAgainstADueRefresh() {
    openWithPatience();
    LockOptions options = LockOptions.of(Duration.ofMillis(600)).holdAtLeast(Duration.ofMillis(10));
    Flux.range(0, 500)
        .flatMap(
            i ->
                setup
                    .locker
                    .acquire("key" + i, options)
                    .doOnNext(lock -> lock.keepAlive().subscribe(any -> {}, e -> {}))
                    .delayElement(Duration.ofMillis(170 + i % 30))
                    .flatMap(Lock::release),
            100)
        .blockLast(Setup.PATIENCE);

    assertThat(setup.extendedAfterRelease()).isEmpty();
    assertThat(KeyScanner.of(server).matching("key*")).isEmpty();
  }

  @Test
  @DisplayName("B02: after a release that failed with the network nothing is refreshed any more")
  void failedReleaseEndsTheRefreshing() {
    Lock lock = acquire("key", LockOptions.of(TTL));
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();
    await().until(() -> setup.extensions("key") == 1);
    setup.proxy.refuse();
    setup.proxy.cut();

    assertThat(lock.release().onErrorComplete(LockStoreException.class).block(Setup.PATIENCE))
        .isNull();
    setup.proxy.accept();

    await().atMost(TTL).until(() -> setup.isFree("key"));
    Setup.pass(TTL);
    assertThat(setup.extensions("key")).isEqualTo(1);
    assertThat(setup.isFree("key")).isTrue();
    await().until(loss::isCompletedExceptionally);
  }

  @Test
  @DisplayName("B03: a scope cancelled while the server stands still is neither kept nor refreshed")
  void cancelledAcquisitionIsNotRefreshed() {
    server.pause();
    Disposable scope =
        setup.locker.withLock("key", LockOptions.of(TTL), lock -> Mono.never()).subscribe();
    Setup.pass(Duration.ofMillis(50));
    scope.dispose();
    server.resume();

    await().until(() -> setup.releases("key") > 0);
    assertThat(setup.isFree("key")).isTrue();
    Setup.pass(TTL);
    assertThat(setup.isFree("key")).isTrue();
    assertThat(setup.extensions("key")).isZero();
  }

  @Test
  @DisplayName("B08: a scope that never ends holds its lock no longer than maxHold")
  void maxHoldEndsTheLock() {
    LockOptions options = LockOptions.of(Duration.ofMillis(300)).maxHold(Duration.ofMillis(900));
    long begin = System.nanoTime();
    CompletableFuture<Object> scope =
        setup.locker.withLock("key", options, lock -> Mono.never()).toFuture();

    await().until(scope::isDone);

    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isBetween(Duration.ofMillis(800), Duration.ofSeconds(5));
    assertThat(setup.told.count("lost MAX_HOLD")).isEqualTo(1);
    await().until(() -> setup.isFree("key"));
  }

  @Test
  @DisplayName("B09: hundreds of waiters on a lock that is never freed end in time, and for good")
  void waitersEnd() {
    server.command("SET", "key", "somebody else");
    LockOptions options = LockOptions.of(TTL).waitAtMost(Duration.ofMillis(700));
    long begin = System.nanoTime();

    long refused =
        Flux.range(0, 300)
            .flatMap(
                i ->
                    setup
                        .locker
                        .acquire("key", options)
                        .map(lock -> 0L)
                        .onErrorReturn(LockNotAcquiredException.class, 1L),
                300)
            .reduce(0L, Long::sum)
            .block(Setup.PATIENCE);

    assertThat(refused).isEqualTo(300);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    long scripts = setup.scripts();
    Setup.pass(Duration.ofMillis(500));
    assertThat(setup.scripts()).isEqualTo(scripts);
  }

  @Test
  @DisplayName("B11: many locks are all refreshed in time on a slow network, and not all at once")
  void manyLocksAreKeptAlive() {
    openWithPatience();
    int count = 500;
    setup.proxy.delayReplies(Duration.ofMillis(20));
    List<Lock> locks =
        Flux.range(0, count)
            .flatMap(i -> setup.locker.acquire("key" + i, LockOptions.of(TTL)), count)
            .collectList()
            .block(Setup.PATIENCE);
    List<CompletableFuture<Object>> losses =
        locks.stream().map(lock -> lock.keepAlive().toFuture()).toList();

    Setup.pass(TTL.multipliedBy(3));

    assertThat(losses).noneMatch(CompletableFuture::isDone);
    assertThat(locks).allMatch(Lock::isValid);
    assertThat(setup.busiestShareOfExtensions(Duration.ofMillis(5))).isLessThan(0.5);
    Flux.fromIterable(locks).flatMap(Lock::release, count).blockLast(Setup.PATIENCE);
  }

  /** How a lock comes to its user. */
  private record Entry(String name, Function<Setup, Mono<Lock>> take) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Entry> entries() {
    LockOptions options = LockOptions.of(Duration.ofMillis(300));
    return Stream.of(
        new Entry("tryAcquire", setup -> setup.locker.tryAcquire("key", options)),
        new Entry("acquire", setup -> setup.locker.acquire("key", options)),
        new Entry(
            "acquire after a wait",
            setup -> {
              setup.server.command("SET", "key", "somebody else", "PX", "200");
              return setup.locker.acquire("key", options);
            }),
        new Entry(
            "acquire of a fenced lock", setup -> setup.locker.acquire("key", options.fenced(true))),
        new Entry(
            "acquire of several keys",
            setup -> setup.locker.acquire(List.of("key", "other"), options)),
        new Entry(
            "attach",
            setup ->
                setup
                    .locker
                    .acquire("key", options)
                    .flatMap(lock -> setup.locker.attach(lock.keys(), lock.token(), options))));
  }

  @ParameterizedTest
  @MethodSource("entries")
  @DisplayName("B14: however a lock was taken, it is kept alive")
  void everyLockIsKeptAlive(Entry entry) {
    Lock lock = entry.take().apply(setup).block(Setup.PATIENCE);
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();

    Setup.pass(Duration.ofMillis(900));

    assertThat(loss).isNotDone();
    assertThat(lock.isValid()).isTrue();
    assertThat(setup.pttl("key")).isPositive();
    assertThat(lock.release().block(Setup.PATIENCE)).isTrue();
  }

  @Test
  @DisplayName("B14: so are the locks of scopes, of one value or many")
  void scopesAreKeptAlive() {
    LockOptions options = LockOptions.of(Duration.ofMillis(300));
    Duration longer = Duration.ofMillis(900);

    String one =
        setup
            .locker
            .withLock("key", options, lock -> Mono.delay(longer).thenReturn("done"))
            .block(Setup.PATIENCE);
    List<String> many =
        setup
            .locker
            .withLockMany("key", options, lock -> Mono.delay(longer).thenReturn("done"))
            .collectList()
            .block(Setup.PATIENCE);

    assertThat(one).isEqualTo("done");
    assertThat(many).containsExactly("done");
  }

  @Test
  @DisplayName("B19: a refresh on its way keeps neither the release nor the key")
  void releaseDuringARefresh() {
    Lock lock = acquire("key", LockOptions.of(TTL));
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();
    try (HeldReplies replies = setup.proxy.holdReplies()) {
      await().until(() -> setup.extensions("key") == 1);
      CompletableFuture<Boolean> release = lock.release().toFuture();
      await().until(() -> setup.isFree("key"));
      replies.release();
      assertThat(release).succeedsWithin(Setup.PATIENCE).isEqualTo(true);
    }

    Setup.pass(TTL);

    assertThat(setup.extensions("key")).isEqualTo(1);
    assertThat(setup.isFree("key")).isTrue();
    await().until(loss::isCompletedExceptionally);
  }

  @Test
  @DisplayName("B20: answers that are slower than the refresh is frequent lose nothing")
  void slowAnswersLoseNothing() {
    openWithPatience();
    Lock lock = acquire("key", LockOptions.of(Duration.ofMillis(900)));
    CompletableFuture<Object> loss = lock.keepAlive().toFuture();
    setup.proxy.delayReplies(Duration.ofMillis(350));

    Setup.pass(Duration.ofSeconds(3));

    assertThat(loss).isNotDone();
    assertThat(lock.isValid()).isTrue();
    setup.proxy.delayReplies(Duration.ZERO);
    lock.release().block(Setup.PATIENCE);
  }
}
