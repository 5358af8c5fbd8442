// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.monolock.store.Grant;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A connection that answers nothing any more, recognised by when it was asked and last answered.
 */
@ExtendWith(RedisExtension.class)
class SilentConnectionTest extends StoreOnRedis {

  private static final Duration LIMIT = Duration.ofMillis(400);

  private FaultProxy proxy;
  private RedisLockStore store;

  @BeforeEach
  void createStore(RedisServer server) {
    proxy = FaultProxy.before(server);
    store = storeOn(RedisURI.create(proxy.uri()));
    acquire(store, A, ALICE);
  }

  @AfterEach
  void closeProxy() {
    proxy.reset();
    proxy.close();
  }

  private CompletableFuture<Boolean> askInVain() {
    proxy.holdReply(1);
    return store.extend(A, ALICE, LONG).toFuture();
  }

  private static void assertLost(CompletableFuture<?> call) {
    assertThat(call)
        .failsWithin(TIMEOUT)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOfSatisfying(
            StoreFailure.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNKNOWN_OUTCOME));
  }

  @Test
  @DisplayName("B101: silent for the time of a call though it was asked, it is given up")
  void aSilentConnectionIsGivenUp() {
    CompletableFuture<Boolean> call = askInVain();
    store.overdue(LIMIT);
    await().during(LIMIT.dividedBy(2)).until(() -> !call.isDone());

    await()
        .until(
            () -> {
              store.overdue(LIMIT);
              return call.isDone();
            });

    assertLost(call);
    assertThat(result(store.remaining(A, ALICE))).isPositive();
    assertThat(proxy.accepted()).isEqualTo(2);
  }

  @Test
  void oneThatIsAskedAfterALongTimeIsNotSilentYet() {
    await().pollDelay(LIMIT).until(() -> true);
    CompletableFuture<Boolean> call = askInVain();
    store.overdue(LIMIT);
    await().during(LIMIT.dividedBy(2)).until(() -> !call.isDone());
  }

  @Test
  void oneThatIsNotAskedIsNotSilent() {
    await().pollDelay(LIMIT.multipliedBy(2)).until(() -> true);
    store.overdue(LIMIT);
    assertThat(result(store.remaining(A, ALICE))).isPositive();
    assertThat(proxy.accepted()).isOne();
  }

  @Test
  @DisplayName("B101: nor does an opening that hangs stay in the way")
  void anOpeningThatHangsIsGivenUp() {
    proxy.blackHole(true);
    proxy.cut();
    // the store has noticed, and opens another connection
    await()
        .until(
            () -> {
              store.remaining(A, ALICE).subscribe(any -> {}, e -> {});
              return proxy.accepted() == 2;
            });
    CompletableFuture<Grant> call = store.acquire(A, ALICE, "", LONG, false).toFuture();
    await().during(LIMIT.dividedBy(2)).until(() -> !call.isDone());
    await()
        .until(
            () -> {
              store.overdue(LIMIT);
              return call.isDone();
            });
    proxy.blackHole(false);
    await().ignoreExceptions().until(() -> result(store.extend(A, ALICE, LONG)));
  }

  private List<Object> waitFor() {
    List<Object> notifications = new CopyOnWriteArrayList<>();
    store.wakeUps(A).subscribe(notifications::add, notifications::add);
    await().until(() -> notifications.size() == 1);
    return notifications;
  }

  @Test
  @DisplayName("B101, B116: a silent tracked connection is no less silent while the other answers")
  void aSilentTrackedConnectionIsGivenUpWhileTheOtherOneAnswers() {
    List<Object> notifications = waitFor();
    proxy.holdReply(1);
    CompletableFuture<Grant> attempt = store.acquire(A, BOB, "", LONG, false).toFuture();
    await()
        .until(
            () -> {
              assertThat(result(store.extend(A, ALICE, LONG))).isTrue();
              store.overdue(LIMIT);
              return attempt.isDone();
            });
    assertLost(attempt);
    await().until(() -> notifications.size() == 2);
    assertThat(proxy.accepted()).isEqualTo(3);
  }

  @Test
  void aSilentConnectionIsGivenUpWhileTheTrackedOneAnswers() {
    List<Object> notifications = waitFor();
    CompletableFuture<Boolean> call = askInVain();
    await()
        .until(
            () -> {
              assertThat(acquire(store, A, BOB)).isInstanceOf(Grant.Busy.class);
              store.overdue(LIMIT);
              return call.isDone();
            });
    assertLost(call);
    assertThat(result(store.extend(A, ALICE, LONG))).isTrue();
    assertThat(proxy.accepted()).isEqualTo(3);
    assertThat(notifications).doesNotHaveAnyElementsOfTypes(Throwable.class);
  }
}
