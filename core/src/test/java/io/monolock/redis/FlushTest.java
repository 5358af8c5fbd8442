// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.store.LockKeys;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Calls that come together are sent together, and none is left behind. */
@ExtendWith(RedisExtension.class)
class FlushTest extends StoreOnRedis {

  private static final int CALLERS = 8;
  private static final int ROUNDS = Integer.getInteger("monolock.flush.rounds", 3_000);

  private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);

  private RedisServer server;
  private RedisLockStore store;

  @BeforeEach
  void createStore(RedisServer ofClass) {
    server = ofClass;
    store = storeOn(server);
  }

  @AfterEach
  void endCallers() {
    callers.shutdownNow();
  }

  /** All callers ask within some microseconds, and await their answers: no other call comes. */
  @Test
  void noCallIsLeftUnsent() throws Exception {
    CyclicBarrier together = new CyclicBarrier(CALLERS);
    awaitAll(
        callers(
            key -> {
              together.await(60, TimeUnit.SECONDS);
              callAfterSomeMicroseconds(key);
            }));
  }

  private interface Round {
    void call(LockKeys key) throws Exception;
  }

  private List<Future<?>> callers(Round round) {
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < CALLERS; i++) {
      LockKeys key = LockKeys.of("key" + i);
      all.add(
          callers.submit(
              () -> {
                for (int j = 0; j < ROUNDS; j++) {
                  round.call(key);
                }
                return null;
              }));
    }
    return all;
  }

  private static void awaitAll(List<Future<?>> callers) throws Exception {
    for (Future<?> caller : callers) {
      caller.get(120, TimeUnit.SECONDS);
    }
  }

  private void callAfterSomeMicroseconds(LockKeys key) {
    long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(20_000);
    while (System.nanoTime() < until) {
      Thread.onSpinWait();
    }
    if (ThreadLocalRandom.current().nextInt(16) == 0) {
      store.remaining(key, ALICE).subscribe(any -> {}, e -> {}).dispose();
    }
    acquire(store, key, ALICE);
  }

  @Test
  void noCallIsLeftUnsentByAServerThatForgetsItsScripts() throws Exception {
    List<Future<?>> all = callers(this::callAfterSomeMicroseconds);
    while (!all.get(0).isDone()) {
      server.command("SCRIPT", "FLUSH");
    }
    awaitAll(all);
  }

  /** From within an answer, which comes in the thread that flushes. */
  @Test
  void aCallThatFollowsAnAnswerIsSent() {
    for (int i = 0; i < 200; i++) {
      Mono<Boolean> pair =
          store
              .acquire(A, ALICE, "", LONG, false)
              .flatMap(grant -> store.release(A, ALICE, Duration.ZERO));
      assertThat(result(pair)).isTrue();
    }
  }

  @Test
  void callsThatEndWithTheConnectionAreNotLeftBehind() throws Exception {
    for (int round = 0; round < 50; round++) {
      RedisLockStore closing = storeOn(server);
      acquire(closing, A, ALICE);
      CountDownLatch begun = new CountDownLatch(CALLERS);
      List<Future<List<CompletableFuture<?>>>> all = new ArrayList<>();
      for (int i = 0; i < CALLERS; i++) {
        all.add(
            callers.submit(
                () -> {
                  begun.countDown();
                  List<CompletableFuture<?>> calls = new ArrayList<>();
                  for (int j = 0; j < 50; j++) {
                    calls.add(closing.extend(A, ALICE, LONG).toFuture());
                  }
                  return calls;
                }));
      }
      begun.await();
      result(closing.close());
      for (Future<List<CompletableFuture<?>>> calls : all) {
        for (CompletableFuture<?> call : calls.get()) {
          call.handle((answer, e) -> answer).get(5, TimeUnit.SECONDS);
        }
      }
    }
  }

  @Test
  void callsThatComeTogetherGoOutTogether() {
    LockKeys[] keys = new LockKeys[256];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = LockKeys.of("key" + i);
    }
    acquire(store, keys[0], ALICE);
    long before = reads();
    int rounds = 20;
    for (int i = 0; i < rounds; i++) {
      Flux.fromArray(keys)
          .flatMap(key -> store.acquire(key, ALICE, "", LONG, false), keys.length)
          .blockLast(TIMEOUT);
    }
    assertThat(reads() - before).isLessThan(rounds * keys.length / 4);
  }

  private long reads() {
    return server
        .commandAsString("INFO", "stats")
        .lines()
        .filter(line -> line.startsWith("total_reads_processed:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
        .sum();
  }
}
