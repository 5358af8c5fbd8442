// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static io.monolock.store.StoreProblem.Reason.MISUSE;
import static io.monolock.store.StoreProblem.Reason.NOT_REPLICATED;
import static io.monolock.store.StoreProblem.Reason.SERVER_STATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.BusyScript;
import io.monolock.test.CommandRecorder;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** A server that answers, but does not do what it is asked. */
@ExtendWith(RedisExtension.class)
class ServerTroubleTest extends LockerUnderFault {

  private final RedisServer server;
  private ReactiveLocker locker;

  ServerTroubleTest(RedisServer server) {
    this.server = server;
  }

  @BeforeEach
  void open() {
    locker = locker(server.uri());
    warmUp(locker);
  }

  /**
   * The trouble is there: reported at once, waited out when it ends, and the reason when it lasts.
   */
  private void assertWaitedOut(Reason reason, String code, Runnable end) {
    LockStoreException now = trouble(locker.tryAcquire("key", OPTIONS));
    assertThat(now.reason()).as(now.toString()).isEqualTo(reason);
    assertThat(now.isTransient()).isTrue();
    assertThat(now).hasMessageContaining(code);

    // long enough for another connection, as one that leads to a replica is left
    LockStoreException lasting =
        trouble(locker.acquire("key", OPTIONS.waitAtMost(Duration.ofMillis(1_500))));
    assertThat(lasting.reason()).as(lasting.toString()).isEqualTo(reason);

    CompletableFuture<Lock> waiting =
        locker.acquire("key", OPTIONS.waitAtMost(Duration.ofSeconds(10))).toFuture();
    await().during(Duration.ofMillis(300)).until(() -> !waiting.isDone());
    end.run();
    assertThat(waiting)
        .succeedsWithin(Duration.ofSeconds(5))
        .satisfies(lock -> assertThat(released(lock)).isTrue());
  }

  @Test
  @DisplayName("B92: another client's long script is waited out, and tryAcquire says BUSY at once")
  void busyIsWaitedOut() {
    BusyScript script = server.keepBusy();
    assertWaitedOut(SERVER_STATE, "BUSY", script::end);
  }

  @Test
  @DisplayName("B92: a script of ours stays short with as many keys as a lock may have")
  void ourScriptsAreShort() {
    List<String> keys = IntStream.range(0, 1_024).mapToObj(i -> "key" + i).toList();
    locker.withLock(keys, OPTIONS.fenced(true), lock -> Mono.just(true)).block(LIMIT);
    server.configure("slowlog-log-slower-than", "100000");

    // on a busy machine any command can look slow once
    await()
        .until(
            () -> {
              server.command("SLOWLOG", "RESET");
              locker.withLock(keys, OPTIONS.fenced(true), lock -> Mono.just(true)).block(LIMIT);
              return server.commandAsLong("SLOWLOG", "LEN") == 0;
            });
  }

  @Test
  @DisplayName("B88: without memory nothing new is taken, but what is held is extended and freed")
  void outOfMemoryIsWaitedOut() {
    Lock held = locker.acquire("held", OPTIONS).block(LIMIT);
    server.configure("maxmemory", "1");

    held.extend(Duration.ofSeconds(120)).block(LIMIT);
    assertThat(held.ttl().block(LIMIT)).isGreaterThan(Duration.ofSeconds(100));
    assertThat(released(held)).isTrue();
    assertWaitedOut(SERVER_STATE, "OOM", server::restoreSettings);
  }

  @Test
  @DisplayName("B84: without memory or with a list among its keys a set is taken not even in part")
  void nothingIsTakenInPart() {
    server.command("RPUSH", "list", "element");
    List<String> keys = List.of("free", "list");

    LockStoreException[] failure = new LockStoreException[1];
    Duration taken =
        timed(
            () ->
                failure[0] =
                    trouble(locker.acquire(keys, OPTIONS.waitAtMost(Duration.ofSeconds(10)))));
    assertThat(failure[0].reason()).isEqualTo(MISUSE);
    assertThat(failure[0].isTransient()).isFalse();
    assertThat(taken).isLessThan(Duration.ofSeconds(3));

    server.command("DEL", "list");
    server.configure("maxmemory", "1");
    assertThat(trouble(locker.tryAcquire(keys, OPTIONS.fenced(true))).reason())
        .isEqualTo(SERVER_STATE);
    assertThat(KeyScanner.of(server).matching("*")).isEmpty();
  }

  @Test
  @DisplayName("B89: a key that is named twice is one key, and one that only looks the same is not")
  void duplicatesAreOneKey() {
    String composed = "caf\u00e9";
    String decomposed = "cafe\u0301";

    Lock lock;
    try (CommandRecorder recorder = CommandRecorder.of(server)) {
      lock = locker.tryAcquire(List.of("a", "a", new String("a"), "b"), OPTIONS).block(LIMIT);
      assertThat(recorder.commands("evalsha"))
          .singleElement()
          .satisfies(
              asked -> assertThat(asked.words().subList(2, 5)).containsExactly("2", "a", "b"));
    }
    Lock one = locker.tryAcquire(List.of(composed), OPTIONS).block(LIMIT);
    Lock other = locker.tryAcquire(List.of(decomposed), OPTIONS).block(LIMIT);

    assertThat(lock.keys()).containsExactly("a", "b");
    assertThat(one.isValid() && other.isValid()).isTrue();
    assertThat(KeyScanner.of(server).matching("*")).hasSize(4);
    for (Lock held : List.of(lock, one, other)) {
      assertThat(released(held)).isTrue();
    }
    assertThat(KeyScanner.of(server).matching("*")).isEmpty();
  }

  @Test
  @DisplayName("B91: sets that overlap, named in any order, neither block each other nor stay")
  void orderOfKeysDoesNotMatter() {
    List<List<String>> overlapping =
        List.of(List.of("a", "b"), List.of("b", "a"), List.of("b", "c"), List.of("c", "a"));
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();

    Long done =
        Flux.range(0, 200)
            .flatMap(
                i ->
                    locker.withLock(
                        overlapping.get(i % overlapping.size()),
                        OPTIONS.waitAtMost(LIMIT),
                        lock ->
                            Mono.fromCallable(
                                    () ->
                                        most.accumulateAndGet(inside.incrementAndGet(), Math::max))
                                .delayElement(Duration.ofMillis(1))
                                .doOnNext(any -> inside.decrementAndGet())),
                50)
            .count()
            .block(LIMIT);

    assertThat(done).isEqualTo(200);
    assertThat(most).hasValue(1);
    assertThat(KeyScanner.of(server).matching("*")).isEmpty();
  }

  @Test
  @DisplayName("B79: a server that became a replica is waited out until it is a primary again")
  void readOnlyIsWaitedOut() {
    server.command("REPLICAOF", "127.0.0.1", "1");
    assertWaitedOut(SERVER_STATE, "READONLY", () -> server.command("REPLICAOF", "NO", "ONE"));
  }

  @Test
  @DisplayName("B75: a replica without its primary that answers nothing at all is waited out")
  void masterDownIsWaitedOut() {
    server.configure("replica-serve-stale-data", "no");
    server.command("REPLICAOF", "127.0.0.1", "1");
    assertWaitedOut(SERVER_STATE, "MASTERDOWN", () -> server.command("REPLICAOF", "NO", "ONE"));
  }

  @Test
  @DisplayName("B76: too few replicas are waited out and have a reason of their own")
  void tooFewReplicasAreWaitedOut() {
    server.configure("min-replicas-to-write", "1");
    assertWaitedOut(NOT_REPLICATED, "NOREPLICAS", server::restoreSettings);
  }

  @Test
  @DisplayName("B75: a server that is loading its data is waited out")
  void loadingIsWaitedOut() {
    server.restartLoading(Duration.ofSeconds(1));
    CompletableFuture<Lock> waiting =
        locker.acquire("key", OPTIONS.waitAtMost(Duration.ofSeconds(15))).toFuture();

    await()
        .until(
            () -> {
              try {
                return !locker.inspect("other").hasElement().block(LIMIT);
              } catch (LockStoreException e) {
                assertThat(e.isTransient()).isTrue();
                return false;
              }
            });
    assertThat(waiting).succeedsWithin(Duration.ofSeconds(10));
  }

  @Test
  @DisplayName(
      "B94: a server that cannot save is waited out, and a release is not called done before it is")
  void misconfIsWaitedOut() throws IOException {
    Lock held = locker.acquire("held", OPTIONS).block(LIMIT);
    List<?> dir = (List<?>) server.command("CONFIG", "GET", "dir");
    Path inTheWay = Files.createDirectory(Path.of((String) dir.get(1)).resolve("dump.rdb"));
    server.configure("save", "3600 1");
    saveInBackground("err");

    LockStoreException refused = trouble(held.release());
    assertThat(refused.reason()).isEqualTo(SERVER_STATE);
    assertThat(refused).hasMessageContaining("MISCONF");
    assertThat(exists(server, "held")).isTrue();
    assertWaitedOut(
        SERVER_STATE,
        "MISCONF",
        () -> {
          try {
            Files.delete(inTheWay);
          } catch (IOException e) {
            throw new AssertionError(e);
          }
          saveInBackground("ok");
        });
    await().until(() -> !exists(server, "held"));
    assertThat(released(held)).isTrue();
  }

  private void saveInBackground(String outcome) {
    await()
        .until(
            () -> {
              server.command("BGSAVE");
              await()
                  .until(
                      () ->
                          server
                              .commandAsString("INFO", "persistence")
                              .contains("rdb_bgsave_in_progress:0"));
              return server
                  .commandAsString("INFO", "persistence")
                  .contains("rdb_last_bgsave_status:" + outcome);
            });
  }

  @Test
  @DisplayName("B95: a key that is evicted is a lock that is lost, which the next refresh notices")
  void evictionIsNoticed() {
    RedisClient filler = RedisClient.create(server.uri());
    try {
      CompletableFuture<Object> body =
          locker
              .withLock("key", OPTIONS.ttl(Duration.ofSeconds(3)), lock -> Mono.never())
              .toFuture();
      await().until(() -> exists(server, "key"));

      evict(filler.connect().async());

      long evictedAt = System.nanoTime();
      assertThatThrownBy(() -> body.get(LIMIT.toSeconds(), TimeUnit.SECONDS))
          .hasCauseInstanceOf(LockLostException.class)
          .cause()
          .satisfies(
              e ->
                  assertThat(((LockLostException) e).reason())
                      .isEqualTo(LockLostException.Reason.TAKEN));
      assertThat(Duration.ofNanos(System.nanoTime() - evictedAt))
          .isLessThan(Duration.ofMillis(2_800));
    } finally {
      filler.shutdown(0, 0, TimeUnit.SECONDS);
    }
  }

  private void evict(RedisAsyncCommands<String, String> redis) {
    long used =
        server
            .commandAsString("INFO", "memory")
            .lines()
            .filter(line -> line.startsWith("used_memory:"))
            .mapToLong(line -> Long.parseLong(line.substring(12).trim()))
            .sum();
    server.configure("maxmemory-policy", "allkeys-random");
    server.configure("maxmemory", "" + (used + 300_000));
    String kilobyte = "x".repeat(1_000);
    await()
        .until(
            () -> {
              for (int i = 0; i < 500; i++) {
                redis.set("filler" + ThreadLocalRandom.current().nextInt(), kilobyte);
              }
              redis.ping().get(5, TimeUnit.SECONDS);
              return !exists(server, "key");
            });
  }

  @Test
  @DisplayName("B97: while all commands are paused a result comes in time and the release later")
  void releaseOfASaturatedServerIsLate() {
    Duration taken =
        timed(
            () ->
                assertThat(
                        locker
                            .withLock(
                                "key",
                                OPTIONS,
                                lock ->
                                    Mono.fromCallable(
                                            () -> server.command("CLIENT", "PAUSE", "3000", "ALL"))
                                        .subscribeOn(Schedulers.boundedElastic()))
                            .block(LIMIT))
                    .isEqualTo("OK"));

    assertThat(taken).isLessThan(Duration.ofSeconds(2));
    await().atMost(LIMIT).until(() -> !exists(server, "key"));
  }
}
