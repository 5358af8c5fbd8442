// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.store.Grant;
import io.monolock.store.Grant.Granted;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Connections that are opened, shared, lost and opened again. */
class ConnectionLossTest extends StoreOnRedis {

  private final RedisServer server = RedisServer.start();
  private final RedisLockStore store = storeOn(server);

  @AfterEach
  void closeServer() {
    server.close();
  }

  private static void assertUnknownOutcome(CompletableFuture<?> call) {
    assertThat(call)
        .failsWithin(TIMEOUT)
        .withThrowableOfType(ExecutionException.class)
        .withCauseInstanceOf(StoreFailure.class)
        .satisfies(
            e -> {
              StoreFailure failure = (StoreFailure) e.getCause();
              assertThat(failure.reason()).isEqualTo(Reason.UNKNOWN_OUTCOME);
              assertThat(failure.isTransient()).isTrue();
            });
  }

  private List<CompletableFuture<Grant>> callsUnderWay(int count) {
    server.pause();
    List<CompletableFuture<Grant>> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(store.acquire(LockKeys.of("lost" + i), ALICE, "", LONG, false).toFuture());
    }
    return calls;
  }

  private long connectionsSoFar() {
    return server
        .commandAsString("INFO", "stats")
        .lines()
        .filter(line -> line.startsWith("total_connections_received:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
        .sum();
  }

  @Test
  void creatingAStoreSendsNothing() {
    long before = connectionsSoFar();
    RedisLockStore unused = storeOn(server);
    unused.acquire(A, ALICE, "", LONG, false);
    unused.close().block(TIMEOUT);
    assertThat(connectionsSoFar()).isEqualTo(before);
  }

  @Test
  void manyFirstCallsShareOneConnection() {
    long before = connectionsSoFar();
    Flux.range(0, 200)
        .flatMap(
            i ->
                store
                    .acquire(LockKeys.of("key" + i), ALICE, "", LONG, false)
                    .subscribeOn(Schedulers.boundedElastic()),
            200)
        .blockLast(TIMEOUT);
    assertThat(connectionsSoFar()).isEqualTo(before + 1);
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(200);
  }

  @Test
  void aThreadThatMustNotBlockMayMakeTheFirstCall() {
    assertThat(result(store.acquire(AB, ALICE, "", LONG, true).subscribeOn(Schedulers.parallel())))
        .isInstanceOf(Granted.class);
  }

  /** What is late is for the engine to say, not for the time-out of the connection. */
  @Test
  void aCallOutlivesTheTimeoutOfTheUri() {
    RedisURI uri = RedisURI.create(server.uri());
    uri.setTimeout(Duration.ofMillis(500));
    RedisLockStore hurried = storeOn(uri);
    acquire(hurried, A, ALICE);
    server.pause();
    CompletableFuture<Boolean> call = hurried.extend(A, ALICE, LONG).toFuture();
    await().during(Duration.ofMillis(700)).until(() -> !call.isDone());
    server.resume();
    assertThat(call).succeedsWithin(TIMEOUT).isEqualTo(true);
  }

  @Test
  void aFirstCallThatIsCancelledDoesNotSpoilTheOthers() {
    server.pause();
    Disposable first = store.acquire(A, ALICE, "", LONG, false).subscribe();
    CompletableFuture<Grant> second = store.acquire(B, ALICE, "", LONG, false).toFuture();
    first.dispose();
    server.resume();
    assertThat(second).succeedsWithin(TIMEOUT).isInstanceOf(Granted.class);
  }

  /** B98, B109: nothing is sent again behind the caller's back. */
  @RepeatedTest(5)
  void callsUnderWayEndAtOnceWhenTheServerDiesAndAreNeverSentAgain() {
    acquire(store, A, ALICE);
    List<CompletableFuture<Grant>> lost = callsUnderWay(100);
    server.kill();
    lost.forEach(ConnectionLossTest::assertUnknownOutcome);

    server.restart();
    long before = connectionsSoFar();
    assertThat(acquire(store, A, ALICE)).isInstanceOf(Granted.class);
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(1);
    assertThat(connectionsSoFar()).isEqualTo(before + 1);
  }

  @Test
  void aConnectionThatTheServerClosesIsReplaced() {
    acquire(store, A, ALICE);
    for (int i = 0; i < 20; i++) {
      server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await()
          .ignoreExceptionsInstanceOf(StoreFailure.class)
          .untilAsserted(() -> assertThat(result(store.remaining(A, ALICE))).isPositive());
    }
    await()
        .untilAsserted(
            () ->
                assertThat(server.commandAsString("CLIENT", "LIST").lines().count()).isEqualTo(2));
  }

  /** B46, B107 */
  @Test
  void aServerThatIsDownIsUnavailableAtOnceAndUsedWhenItIsUp() {
    RedisServer down = RedisServer.start();
    down.kill();
    try (down) {
      RedisLockStore early = storeOn(down);
      for (Mono<?> call : callsOfTheHolder(early, A)) {
        StoreFailure failure = failure(call);
        assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
        assertThat(failure.isTransient()).isTrue();
        assertThat(failure).hasMessageContaining("" + down.port());
      }
      down.restart();
      assertThat(acquire(early, A, ALICE)).isInstanceOf(Granted.class);
    }
  }

  /** B110 */
  @Test
  void callsUnderWayEndAtOnceWhenTheStoreIsClosed() {
    acquire(store, A, ALICE);
    List<CompletableFuture<Grant>> lost = callsUnderWay(10);
    store.close().block(TIMEOUT);
    lost.forEach(ConnectionLossTest::assertUnknownOutcome);
  }

  @Test
  void aStoreThatIsClosedWhileItConnectsLeavesNoConnection() {
    server.pause();
    CompletableFuture<Grant> early = store.acquire(A, ALICE, "", LONG, false).toFuture();
    CompletableFuture<Void> closed = store.close().toFuture();
    server.resume();
    assertThat(closed).succeedsWithin(TIMEOUT);
    assertThat(early)
        .failsWithin(TIMEOUT)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            StoreFailure.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
    await()
        .untilAsserted(
            () -> assertThat(server.commandAsString("CLIENT", "LIST").lines().count()).isOne());
  }

  @Test
  void closingWaitsForNoConnectionThatNeverOpens() {
    server.pause();
    CompletableFuture<Grant> early = store.acquire(A, ALICE, "", LONG, false).toFuture();
    store.close().block(TIMEOUT);
    assertThat(early).isCompletedExceptionally();
  }

  @Test
  void theClientStaysTheCallers() {
    acquire(store, A, ALICE);
    store.close().block(TIMEOUT);
    assertThat(acquire(storeOn(server), A, ALICE)).isInstanceOf(Granted.class);
    await()
        .untilAsserted(
            () ->
                assertThat(server.commandAsString("CLIENT", "LIST").lines().count()).isEqualTo(2));
  }

  @Test
  void aClientWithAUriNeedsNoOther() {
    RedisClient named = RedisClient.create(server.uri());
    try {
      RedisLockStore onNamed = closedAtTheEnd(RedisLockStore.create(named));
      assertThat(
              result(onNamed.acquire(A, ALICE, "", LONG, true).subscribeOn(Schedulers.parallel())))
          .isInstanceOf(Granted.class);
      server.kill();
      server.restart();
      await()
          .ignoreExceptionsInstanceOf(StoreFailure.class)
          .untilAsserted(() -> assertThat(acquire(onNamed, A, ALICE)).isInstanceOf(Granted.class));
    } finally {
      named.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
  }

  @Test
  void aClientWithoutAUriSaysWhatToDo() {
    StoreFailure failure = failure(RedisLockStore.create(client).remaining(A, ALICE));
    assertThat(failure.reason()).isEqualTo(Reason.MISUSE);
    assertThat(failure.isTransient()).isFalse();
    assertThat(failure).hasMessageContaining("RedisLockStore.create(client, uri)");
  }

  /** B112 */
  @Test
  void aClientThatWasShutDownIsUnavailableForGood() {
    RedisClient gone = RedisClient.create();
    RedisLockStore onGone = RedisLockStore.create(gone, RedisURI.create(server.uri()));
    acquire(onGone, A, ALICE);
    gone.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    await()
        .atMost(10, TimeUnit.SECONDS)
        .untilAsserted(
            () -> {
              StoreFailure failure = failure(onGone.remaining(A, ALICE));
              assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
              assertThat(failure.isTransient()).isFalse();
            });
    onGone.close().block(TIMEOUT);
  }
}
