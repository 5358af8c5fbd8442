// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockOptions;
import io.monolock.ReactiveLocker;
import io.monolock.store.Grant.Granted;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What the documented users of Redis may do, and what becomes of the rest. */
@ExtendWith(RedisExtension.class)
class LeastPrivilegeTest extends StoreOnRedis {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final LockOptions OPTIONS = LockOptions.of(LONG).waitAtMost(LIMIT);
  private static final String TRACKING = "+client|tracking";

  private final RedisServer server;
  private DocumentedUser user;

  LeastPrivilegeTest(RedisServer server) {
    this.server = server;
  }

  @AfterEach
  void deleteUser() {
    user.deleteFrom(server);
  }

  private RedisLockStore storeOf(DocumentedUser user) {
    this.user = user;
    user.createOn(server);
    return storeOn(user.at(server.uri()));
  }

  private RedisLockStore storeOf(String user) {
    return storeOf(DocumentedUser.named(user));
  }

  private static StoreFailure assertRefused(Mono<?> call) {
    StoreFailure refused = failure(call);
    assertThat(refused.reason()).as(refused.toString()).isEqualTo(Reason.PERMISSION);
    assertThat(refused.isTransient()).isFalse();
    return refused;
  }

  /** All that a user is documented to be enough for, except to be woken. */
  private Mono<Void> allTasks(RedisLockStore store, String user) {
    List<Mono<?>> tasks =
        switch (user) {
          case "plain", "woken" -> locking(store);
          case "fenced" -> Stream.concat(locking(store).stream(), fenced(store).stream()).toList();
          case "operator" -> operating(store);
          case "app" ->
              Stream.of(locking(store), fenced(store), operating(store))
                  .flatMap(List::stream)
                  .toList();
          default -> throw new AssertionError(user);
        };
    return Flux.fromIterable(tasks).concatMap(task -> task).then();
  }

  private static List<Mono<?>> locking(RedisLockStore store) {
    return List.of(
        store.acquire(AB, ALICE, "", LONG, false),
        store.acquire(A, ALICE, "", LONG, false),
        store.acquire(A, BOB, "", LONG, false),
        store.extend(AB, ALICE, LONG.multipliedBy(2)),
        store.remaining(AB, ALICE),
        store.transfer(AB, ALICE, BOB, "", LONG, false),
        store.release(A, BOB, LONG),
        store.release(AB, BOB, Duration.ZERO));
  }

  private static List<Mono<?>> fenced(RedisLockStore store) {
    return List.of(
        store.acquire(AB, ALICE, "", LONG, true),
        store.transfer(AB, ALICE, BOB, "", LONG, true),
        store.raiseFence(AB, BOB, 1),
        store.release(AB, BOB, Duration.ZERO));
  }

  private List<Mono<?>> operating(RedisLockStore store) {
    server.command("SET", "lock:held", ALICE);
    return List.of(store.inspect("lock:held"), store.forceRelease("lock:held"), store.health());
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "fenced", "woken", "operator", "app"})
  @DisplayName("B83: a documented user is enough for what it is documented for")
  void documentedUserIsEnough(String name) {
    RedisLockStore store = storeOf(name);

    result(allTasks(store, name));

    assertThat(server.command("KEYS", "lock:?")).isEqualTo(List.of());
  }

  static Stream<Object[]> rights() {
    return Stream.of("plain", "fenced", "woken", "operator", "app")
        .flatMap(
            name ->
                DocumentedUser.named(name).commands().stream()
                    .filter(right -> !right.equals(TRACKING))
                    .map(right -> new Object[] {name, right}));
  }

  @ParameterizedTest
  @MethodSource("rights")
  @DisplayName("B83: a documented user has no right that it does not need")
  void noRightIsInVain(String name, String right) {
    assertRefused(allTasks(storeOf(DocumentedUser.named(name).without(right)), name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "fenced", "woken", "operator", "app"})
  void otherKeysAreRefused(String name) {
    RedisLockStore store = storeOf(name);

    assertRefused(store.forceRelease("other:a"));
    assertRefused(store.inspect("other:a"));
  }

  @Test
  void aUserWhoMayNotFenceTakesNothing() {
    RedisLockStore store = storeOf("plain");

    StoreFailure refused = assertRefused(store.acquire(AB, ALICE, "", LONG, true));

    assertThat(refused.getMessage()).contains("its commands");
    assertThat(server.commandAsLong("DBSIZE")).isZero();
    assertThat(acquire(store, AB, ALICE)).isInstanceOf(Granted.class);
  }

  @Test
  void aUserWhoMayNotAskForHealthStillLocksAndLooks() {
    RedisLockStore store = storeOf("plain");

    assertRefused(store.health());
    assertThat(acquire(store, A, ALICE)).isInstanceOf(Granted.class);
    assertThat(result(store.inspect("lock:a")).key()).isEqualTo("lock:a");
  }

  @Test
  void operatorTakesNothing() {
    RedisLockStore store = storeOf("operator");

    assertRefused(store.acquire(A, BOB, "", LONG, false));

    assertThat(server.commandAsLong("DBSIZE")).isZero();
  }

  private boolean isTracked() {
    return server
        .commandAsString("CLIENT", "LIST")
        .lines()
        .filter(client -> client.contains(" user=" + user.name() + " "))
        .anyMatch(client -> client.matches(".* flags=\\w*t\\w* .*"));
  }

  @Test
  @DisplayName("G9: the documented user is woken by Redis")
  void documentedUserIsWoken() {
    RedisLockStore store = storeOf("woken");
    acquire(store, A, ALICE);
    Disposable waiter = store.wakeUps(A).subscribe();

    await().until(this::isTracked);

    waiter.dispose();
  }

  @Test
  @DisplayName("B83: a waiter that may not be woken tries again by itself, and gets the lock")
  void aWaiterThatMayNotBeWokenGetsTheLock() {
    ReactiveLocker holder = ReactiveLocker.create(storeOf("plain"));
    Lock held = holder.acquire("lock:a", OPTIONS).block(LIMIT);
    ReactiveLocker other = ReactiveLocker.create(storeOn(user.at(server.uri())));
    CompletableFuture<Lock> waiter = other.acquire("lock:a", OPTIONS).toFuture();
    await()
        .until(
            () ->
                other.activity().stream()
                    .anyMatch(one -> one.state() == LockActivity.State.WAITING));

    held.release().block(LIMIT);

    assertThat(waiter).succeedsWithin(LIMIT).matches(Lock::isValid);
    assertThat(isTracked()).isFalse();
    holder.close().block(LIMIT);
    other.close().block(LIMIT);
  }
}
