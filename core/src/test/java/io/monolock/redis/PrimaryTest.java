// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.monolock.store.Grant.Busy;
import io.monolock.store.Grant.Granted;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** Which of some servers is the primary, without Sentinels. */
class PrimaryTest extends OnPair {

  private final RedisServer stranger = RedisServer.start();

  @AfterEach
  void closeStranger() {
    stranger.close();
  }

  private RedisLockStore storeOnBoth() {
    return closedAtTheEnd(RedisLockStore.create(client, both()));
  }

  private RedisLockStore store(boolean ofAll) {
    return ofAll ? storeOnBoth() : storeOn(pair.primary());
  }

  private static long connections(RedisServer server) {
    return server
        .commandAsString("INFO", "stats")
        .lines()
        .filter(line -> line.startsWith("total_connections_received:"))
        .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1).trim()))
        .sum();
  }

  @Test
  void thePrimaryIsFoundWhereverItStands() {
    RedisLockStore store = storeOnBoth();

    assertThat(acquire(store, A, ALICE)).isInstanceOf(Granted.class);

    assertThat(pair.primary().commandAsLong("EXISTS", "lock:a")).isEqualTo(1);
    assertThat(result(store.health()).topology()).isEqualTo("primary and replicas");
  }

  @Test
  void aServerThatIsGoneDoesNotKeepTheOthersFromBeingFound() {
    stranger.close();
    RedisLockStore store =
        closedAtTheEnd(RedisLockStore.create(client, List.of(uri(stranger), uri(pair.primary()))));

    assertThat(acquire(store, A, ALICE)).isInstanceOf(Granted.class);
  }

  @Test
  void aServerThatHangsDoesNotKeepTheOthersFromBeingFound() {
    stranger.command("REPLICAOF", pair.primary().host(), "" + pair.primary().port());
    stranger.pause();
    RedisLockStore store =
        closedAtTheEnd(RedisLockStore.create(client, List.of(uri(stranger), uri(pair.primary()))));

    assertThat(acquire(store, A, ALICE)).isInstanceOf(Granted.class);
  }

  @ParameterizedTest(name = "all servers known: {0}")
  @ValueSource(booleans = {true, false})
  @DisplayName("B74: a primary that was demoted and cuts no connection is left within seconds")
  void aDemotedPrimaryIsLeft(boolean ofAll) {
    RedisLockStore store = store(ofAll);
    acquire(store, A, ALICE);

    pair.failOver();

    assertThat(inTime(store.extend(A, ALICE, LONG))).isTrue();
    assertThat(inTime(store.acquire(A, BOB, "", LONG, false))).isInstanceOf(Busy.class);
    assertThat(inTime(store.release(A, ALICE, Duration.ZERO))).isTrue();
    assertThat(pair.primary().commandAsLong("EXISTS", "lock:a")).isZero();
  }

  @Test
  @DisplayName("B74, B116: a waiter is woken by the server that is the primary now")
  void aWaiterIsWokenByTheNewPrimary() {
    RedisLockStore store = storeOnBoth();
    acquire(store, A, ALICE);
    AtomicInteger woken = new AtomicInteger();
    Disposable waiter = store.wakeUps(A).subscribe(any -> woken.incrementAndGet());
    await().until(() -> woken.get() > 0);
    assertThat(acquire(store, A, BOB)).isInstanceOf(Busy.class);

    pair.failOver();
    await()
        .ignoreExceptions()
        .until(
            () -> {
              result(store.acquire(A, BOB, "", LONG, false));
              return pair.primary()
                  .commandAsString("INFO", "clients")
                  .contains("tracking_clients:1");
            });
    assertThat(inTime(store.acquire(A, BOB, "", LONG, false))).isInstanceOf(Busy.class);
    int before = woken.get();
    assertThat(inTime(store.release(A, ALICE, Duration.ZERO))).isTrue();

    await().until(() -> woken.get() > before);
    waiter.dispose();
  }

  @Test
  @DisplayName("B72: a lock that the new primary never got is lost, and said to be")
  void aLockThatWasNotReplicatedIsLost() {
    RedisLockStore store = storeOnBoth();
    acquire(store, B, ALICE);
    pair.awaitInSync();
    pair.cutReplication();
    acquire(store, A, ALICE);

    pair.promote();
    pair.mendReplication();
    pair.rejoin();

    assertThat(inTime(store.extend(A, ALICE, LONG))).isFalse();
    assertThat(inTime(store.extend(B, ALICE, LONG))).isTrue();
  }

  @Test
  void theServerThatOthersCallPrimaryIsFound() {
    RedisLockStore store =
        closedAtTheEnd(RedisLockStore.create(client, List.of(uri(pair.replica()))));

    assertThat(acquire(store, A, ALICE)).isInstanceOf(Granted.class);
    assertThat(pair.primary().commandAsLong("EXISTS", "lock:a")).isEqualTo(1);
  }

  @Test
  void aLoneReplicaIsLeftForItsPrimary() {
    RedisLockStore store = storeOn(pair.replica());

    StoreFailure first = failure(store.acquire(A, ALICE, "", LONG, false));

    assertThat(first.reason()).isEqualTo(Reason.SERVER_STATE);
    assertThat(first.isTransient()).isTrue();
    assertThat(inTime(store.acquire(A, ALICE, "", LONG, false))).isInstanceOf(Granted.class);
    assertThat(result(store.health()).topology()).isEqualTo("primary and replicas");
  }

  @Test
  void aUserWhoMayNotAskForRolesIsRefused() {
    for (RedisServer server : List.of(pair.primary(), pair.replica())) {
      server.command("ACL", "SETUSER", "default", "-role");
    }
    try {
      assertThat(failure(storeOnBoth().acquire(A, ALICE, "", LONG, false)))
          .hasMessageContaining("role")
          .extracting(StoreFailure::reason)
          .isEqualTo(Reason.PERMISSION);
      assertThat(failure(inVain(storeOn(pair.replica())))).hasMessageContaining("READONLY");
    } finally {
      pair.primary().command("ACL", "SETUSER", "default", "+role");
    }
  }

  /** Once it is known that it is a replica. */
  private static Mono<?> inVain(RedisLockStore store) {
    failure(store.acquire(A, ALICE, "", LONG, false));
    return store.acquire(A, ALICE, "", LONG, false);
  }

  @Test
  void twoThatSayTheyAreThePrimaryAreBothRefused() {
    RedisLockStore store =
        closedAtTheEnd(RedisLockStore.create(client, List.of(uri(pair.primary()), uri(stranger))));

    StoreFailure failure = failure(store.acquire(A, ALICE, "", LONG, false));

    assertThat(failure.reason()).isEqualTo(Reason.SERVER_STATE);
    assertThat(failure.isTransient()).isTrue();
    assertThat(failure).hasMessageContaining("say that they are the primary");
    stranger.command("REPLICAOF", pair.primary().host(), "" + pair.primary().port());
    assertThat(inTime(store.acquire(A, ALICE, "", LONG, false))).isInstanceOf(Granted.class);
  }

  @Test
  void withoutAPrimaryTheReplicasAreNamed() {
    pair.primary().kill();
    RedisLockStore store = storeOnBoth();

    assertThat(failure(store.acquire(A, ALICE, "", LONG, false)))
        .hasMessageContaining("None of the servers that answer is the primary")
        .hasMessageContaining("" + pair.replica().port());

    pair.promote();
    assertThat(inTime(store.acquire(A, ALICE, "", LONG, false))).isInstanceOf(Granted.class);
  }

  @Test
  @DisplayName("B74: a replica whose primary is not found is asked now and then, not all the time")
  void aReplicaWithoutAPrimaryIsNotAskedWithoutEnd() {
    RedisServer replica = pair.replica();
    RedisLockStore store = storeOn(replica);
    replica.command("REPLICAOF", "127.0.0.1", "1");
    Disposable crowd =
        Mono.defer(() -> store.acquire(A, ALICE, "", LONG, false))
            .onErrorResume(e -> Mono.empty())
            .repeat()
            .subscribe();
    await().until(() -> connections(replica) > 3);
    long before = connections(replica);

    await().pollDelay(Duration.ofSeconds(2)).until(() -> true);

    assertThat(connections(replica) - before).isLessThan(40);
    crowd.dispose();
  }

  @Test
  void whatIsLookedAtAndLeftIsClosed() {
    RedisLockStore store = storeOnBoth();
    acquire(store, A, ALICE);

    await().until(() -> clients(pair.replica(), "role") == 0);
    assertThat(clients(pair.primary(), "evalsha|eval")).isEqualTo(1);
    result(store.close());
    await().until(() -> clients(pair.primary(), "evalsha|eval") == 0);
  }

  /** How many are connected whose last command was this one. */
  private static long clients(RedisServer server, String command) {
    return server
        .commandAsString("CLIENT", "LIST")
        .lines()
        .filter(line -> line.matches(".* cmd=(" + command + ") .*"))
        .count();
  }

  @Test
  void noServerAtAllAndSentinelsAmongTheServersAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> RedisLockStore.create(client, List.of()))
        .withMessageContaining("at least one server");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                RedisLockStore.create(
                    client, List.of(RedisURI.create("redis-sentinel://localhost:26379#mine"))))
        .withMessageContaining("must name servers");
  }
}
