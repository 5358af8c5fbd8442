// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.ProtocolVersion;
import io.monolock.store.Grant;
import io.monolock.store.Grant.Busy;
import io.monolock.store.Grant.Granted;
import io.monolock.store.LockKeys;
import io.monolock.test.CapturedLog;
import io.monolock.test.CommandRecorder;
import io.monolock.test.FaultProxy;
import io.monolock.test.RecordedCommand;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The server notifies waiters that a key may be free, and how the notification reaches them. */
@ExtendWith(RedisExtension.class)
class WakeUpsTest extends StoreOnRedis {

  private RedisServer server;
  private FaultProxy proxy;
  private CommandRecorder recorder;
  private RedisLockStore store;

  @BeforeEach
  void createStore(RedisServer ofClass) {
    server = ofClass;
    proxy = FaultProxy.before(server);
    recorder = CommandRecorder.of(server);
    store = storeOn(RedisURI.create(proxy.uri()));
  }

  @AfterEach
  void closeProxy() {
    recorder.close();
    proxy.close();
  }

  /** A waiter for keys, and its notifications so far. */
  private static final class Waiter {

    final RedisLockStore store;
    final LockKeys keys;
    final List<LockKeys> notifications = new CopyOnWriteArrayList<>();
    final Disposable subscription;
    final int notifiedUponSubscription;

    Waiter(RedisLockStore store, LockKeys keys) {
      this.store = store;
      this.keys = keys;
      AtomicInteger atOnce = new AtomicInteger();
      Thread subscribing = Thread.currentThread();
      this.subscription =
          store
              .wakeUps(keys)
              .subscribe(
                  hint -> {
                    if (Thread.currentThread().equals(subscribing)) {
                      atOnce.incrementAndGet();
                    } else {
                      notifications.add(hint);
                    }
                  },
                  e -> notifications.add(null));
      this.notifiedUponSubscription = atOnce.get();
    }

    Grant attempt() {
      return acquire(store, keys, BOB);
    }

    void awaitNotified(int times) {
      await().untilAsserted(() -> assertThat(notifications).hasSize(times).containsOnly(keys));
    }

    void assertNotifiedNoMoreThan(int times) {
      await()
          .during(Duration.ofMillis(100))
          .untilAsserted(() -> assertThat(notifications).hasSize(times));
    }
  }

  /** A waiter that was refused over the connection that is tracked, and was not notified since. */
  private Waiter refused(LockKeys keys) {
    openTracked();
    Waiter waiter = new Waiter(store, keys);
    assertThat(waiter.attempt()).isInstanceOf(Busy.class);
    return waiter;
  }

  private void openTracked() {
    if (trackings().isEmpty()) {
      Waiter first = new Waiter(store, LockKeys.of("lock:first"));
      if (first.notifiedUponSubscription == 0) {
        first.awaitNotified(1); // else it is open already, which the recorder has not seen yet
      }
      first.subscription.dispose();
    }
  }

  private List<RecordedCommand> scripts() {
    return recorder.commands("evalsha");
  }

  private List<RecordedCommand> trackings() {
    return recorder.commands("client").stream()
        .filter(command -> command.words().get(1).equalsIgnoreCase("TRACKING"))
        .toList();
  }

  private String trackedConnection() {
    List<RecordedCommand> trackings = trackings();
    return trackings.get(trackings.size() - 1).connection();
  }

  private long trackedKeys() {
    return info("stats", "tracking_total_keys");
  }

  private long info(String section, String name) {
    return server
        .commandAsString("INFO", section)
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1).trim()))
        .sum();
  }

  @Test
  void aReleaseWakes() {
    acquire(store, A, ALICE);
    Waiter waiter = refused(A);

    result(store.release(A, ALICE, Duration.ZERO));

    waiter.awaitNotified(1);
    assertThat(waiter.attempt()).isInstanceOf(Granted.class);
  }

  @Test
  @DisplayName("B114: a new waiter is notified once, for what happened before")
  void aNewWaiterIsNotifiedOnce() {
    openTracked();

    assertThat(new Waiter(store, A).notifiedUponSubscription).isOne();
  }

  @Test
  void anExpiryWakes() {
    result(store.acquire(A, ALICE, "", Duration.ofMillis(300), false));
    Waiter waiter = refused(A);

    waiter.awaitNotified(1);

    assertThat(waiter.attempt()).isInstanceOf(Granted.class);
  }

  @Test
  void anOperatorWhoDeletesTheKeyWakes() {
    acquire(store, A, ALICE);
    Waiter waiter = refused(A);
    server.command("DEL", "lock:a");
    waiter.awaitNotified(1);
  }

  @Test
  void anOverwrittenKeyWakes() {
    acquire(store, A, ALICE);
    Waiter waiter = refused(A);
    server.command("SET", "lock:a", "data");
    waiter.awaitNotified(1);
  }

  @Test
  void aRefreshWakesInVainAndTheNextAttemptIsTrackedAgain() {
    acquire(store, A, ALICE);
    Waiter waiter = refused(A);

    result(store.extend(A, ALICE, LONG.multipliedBy(2)));
    waiter.awaitNotified(1);
    assertThat(waiter.attempt()).isInstanceOf(Busy.class);
    result(store.release(A, ALICE, Duration.ZERO));

    waiter.awaitNotified(2);
  }

  @Test
  void anEmptiedServerWakesAllWaiters() {
    acquire(store, A, ALICE);
    Waiter ofA = refused(A);
    Waiter ofB = new Waiter(store, B);
    server.command("FLUSHALL");
    ofA.awaitNotified(1);
    ofB.awaitNotified(1);
  }

  @Test
  void aKeyWakesEverySetThatContainsIt() {
    acquire(store, A, ALICE);
    Waiter ofA = refused(A);
    Waiter ofBoth = refused(AB);
    Waiter ofB = new Waiter(store, B);

    result(store.release(A, ALICE, Duration.ZERO));

    ofA.awaitNotified(1);
    ofBoth.awaitNotified(1);
    ofB.assertNotifiedNoMoreThan(0);
  }

  @Test
  void severalKeysAreTrackedLikeOne() {
    acquire(store, B, ALICE);
    for (boolean fenced : new boolean[] {false, true}) {
      Waiter waiter = refused(AB);
      assertThat(result(store.acquire(AB, BOB, "", LONG, fenced))).isInstanceOf(Busy.class);
      result(store.release(B, ALICE, Duration.ZERO));
      waiter.awaitNotified(1);
      acquire(store, B, ALICE);
    }
  }

  @Test
  void eachWaiterOfTheSameKeysIsNotified() {
    acquire(store, A, ALICE);
    Waiter one = refused(A);
    Waiter other = new Waiter(store, LockKeys.of("lock:a"));

    result(store.release(A, ALICE, Duration.ZERO));

    one.awaitNotified(1);
    other.awaitNotified(1);
  }

  @Test
  void onlyAttemptsOfWaitersGoOverTheTrackedConnection() {
    acquire(store, A, ALICE);
    Waiter waiter = refused(A);
    assertThat(acquire(store, AB, BOB)).isInstanceOf(Busy.class);
    waiter.subscription.dispose();
    assertThat(waiter.attempt()).isInstanceOf(Busy.class);
    result(store.release(A, ALICE, Duration.ZERO));

    List<String> connections = scripts().stream().map(RecordedCommand::connection).toList();
    String tracked = trackedConnection();
    String work = connections.get(0);
    assertThat(work).isNotEqualTo(tracked);
    assertThat(connections).containsExactly(work, tracked, work, work, work);
  }

  @Test
  void nothingIsPushedWithoutAWaiter() {
    openTracked();
    for (int i = 0; i < 100; i++) {
      acquire(store, A, ALICE);
      acquire(store, A, BOB);
      result(store.extend(A, ALICE, LONG));
      assertThat(trackedKeys()).isZero();
      result(store.release(A, ALICE, Duration.ZERO));
    }
    assertThat(info("clients", "tracking_clients")).isOne();
  }

  @Test
  @DisplayName("B114: an attempt while tracking is not confirmed yet is made again when it is")
  void anAttemptBeforeTrackingIsConfirmedIsMadeAgain() {
    acquire(store, A, ALICE);
    proxy.delayReplies(Duration.ofMillis(100));
    Waiter waiter = new Waiter(store, A);

    assertThat(waiter.attempt()).isInstanceOf(Busy.class);
    result(store.release(A, ALICE, Duration.ZERO));

    waiter.awaitNotified(1);
    assertThat(waiter.attempt()).isInstanceOf(Granted.class);
    assertThat(scripts().get(1).connection()).isNotEqualTo(trackedConnection());
    assertThat(scripts().get(3).connection()).isEqualTo(trackedConnection());
  }

  @Test
  @DisplayName("B114: no attempt goes over a connection before the server has agreed to track")
  void noAttemptIsMadeOverAConnectionThatIsNotTrackedYet() {
    acquire(store, A, ALICE);
    proxy.delayReplies(Duration.ofMillis(50));
    Waiter waiter = new Waiter(store, A);
    List<CompletableFuture<Grant>> attempts = new ArrayList<>();
    await()
        .pollInterval(Duration.ofMillis(2))
        .until(
            () -> {
              attempts.add(store.acquire(A, BOB, "", LONG, false).toFuture());
              return !waiter.notifications.isEmpty();
            });
    assertThat(waiter.attempt()).isInstanceOf(Busy.class);
    assertThat(attempts).allSatisfy(attempt -> assertThat(attempt).succeedsWithin(TIMEOUT));

    String tracked = trackedConnection();
    assertThat(recorder.commands())
        .filteredOn(command -> command.connection().equals(tracked))
        .extracting(RecordedCommand::name)
        .containsSubsequence("client", "evalsha")
        .doesNotContainSequence("hello", "evalsha");
  }

  @Test
  @DisplayName("B116: after a lost connection each waiter is notified once, and is tracked again")
  void aLostConnectionIsReplacedAndEachWaiterIsNotifiedOnce() {
    acquire(store, A, ALICE);
    Waiter waiter = refused(A);
    Waiter other = new Waiter(store, LockKeys.of(List.of("lock:b", "lock:c")));
    String lost = trackedConnection();

    proxy.cut();

    waiter.awaitNotified(1);
    other.awaitNotified(1);
    assertThat(trackedConnection()).isNotEqualTo(lost);
    await().ignoreExceptions().until(() -> waiter.attempt() instanceof Busy);
    result(store.release(A, ALICE, Duration.ZERO));
    waiter.awaitNotified(2);
    other.assertNotifiedNoMoreThan(1);
  }

  @Test
  @DisplayName("B116: while there is no tracked connection, attempts go over the other one")
  void attemptsGoOnWhileThereIsNoTrackedConnection() {
    acquire(store, A, ALICE);
    Waiter waiter = refused(A);
    proxy.refuse();
    String tracked = trackedConnection();
    server.command("CLIENT", "KILL", "ADDR", tracked);

    for (int i = 0; i < 3; i++) {
      await().ignoreExceptions().until(() -> waiter.attempt() instanceof Busy);
    }
    proxy.accept();
    await()
        .untilAsserted(
            () -> {
              assertThat(waiter.attempt()).isInstanceOf(Busy.class);
              assertThat(waiter.notifications).isNotEmpty();
            });
    assertThat(trackedConnection()).isNotEqualTo(tracked);
  }

  @Test
  @DisplayName("B116: after a restart of the server, the next attempt makes it wake again")
  void aServerThatWasRestartedWakesAgain() {
    acquire(store, A, ALICE);
    Waiter waiter = refused(A);
    server.restart();
    server.command("SET", "lock:a", "data");
    await()
        .ignoreExceptions()
        .untilAsserted(
            () -> {
              assertThat(waiter.attempt()).isInstanceOf(Busy.class);
              assertThat(trackedKeys()).isOne();
            });
    int before = waiter.notifications.size();

    server.command("DEL", "lock:a");

    waiter.awaitNotified(before + 1);
  }

  @Test
  @DisplayName("B115: of 10,000 waiters that left nothing is left, here or at the server")
  void ofManyWaitersThatLeftNothingIsLeft() {
    openTracked();
    Flux.range(0, 10_000)
        .map(i -> LockKeys.of(List.of("key" + i, "other" + i, "shared")))
        .flatMap(this::waitAndGo, 64)
        .blockLast(LONG);

    assertThat(store).extracting("wakeUps.bySet").asInstanceOf(MAP).isEmpty();
    assertThat(store).extracting("wakeUps.byKey").asInstanceOf(MAP).isEmpty();
    server.command("FLUSHALL");
    assertThat(trackedKeys()).isZero();
  }

  private Mono<Grant> waitAndGo(LockKeys keys) {
    return Mono.using(
        () -> store.wakeUps(keys).subscribe(),
        waiting ->
            store
                .acquire(LockKeys.of(keys.asList().get(0)), ALICE, "", LONG, false)
                .then(store.acquire(keys, BOB, "", LONG, false)),
        Disposable::dispose);
  }

  @Test
  void aSlowWaiterIsNotifiedOnceOfAllThatItMissed() {
    WakeUps wakeUps = new WakeUps("");
    List<LockKeys> notifications = new CopyOnWriteArrayList<>();
    BaseSubscriber<LockKeys> slow =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {}

          @Override
          protected void hookOnNext(LockKeys keys) {
            notifications.add(keys);
          }
        };
    wakeUps.of(AB, () -> false).subscribe(slow);
    wakeUps.pushed("lock:a");
    wakeUps.wakeAll();
    assertThat(notifications).isEmpty();
    slow.request(5);
    assertThat(notifications).containsExactly(AB);
    wakeUps.pushed("lock:b");
    assertThat(notifications).hasSize(2);
  }

  private void assertWaitersPollWithOneWarning(RedisLockStore store, String reason) {
    try (CapturedLog log = new CapturedLog()) {
      acquire(store, A, ALICE);
      Waiter waiter = new Waiter(store, A);
      for (int i = 0; i < 5; i++) {
        assertThat(waiter.attempt()).isInstanceOf(Busy.class);
        server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        await()
            .ignoreExceptions()
            .until(() -> result(store.remaining(A, ALICE)).compareTo(Duration.ZERO) > 0);
        await().ignoreExceptions().until(() -> waiter.attempt() instanceof Busy);
      }
      result(store.release(A, ALICE, Duration.ZERO));
      await().ignoreExceptions().until(() -> waiter.attempt() instanceof Granted);
      assertThat(log.lines("WARN"))
          .filteredOn(line -> line.contains("Redis cannot wake"))
          .singleElement()
          .asString()
          .contains(reason);
    }
  }

  @Test
  void overResp2WaitersPollAndOneLineSaysWhy() {
    RedisClient old = RedisClient.create(server.uri());
    old.setOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build());
    try {
      assertWaitersPollWithOneWarning(closedAtTheEnd(RedisLockStore.create(old)), "RESP2");
    } finally {
      old.shutdown(Duration.ZERO, TIMEOUT);
    }
  }

  @Test
  void withoutThePermissionWaitersPollAndOneLineSaysWhy() {
    server.command("ACL", "SETUSER", "blind", "on", ">secret", "~*", "+@all", "-client|tracking");
    RedisURI uri =
        RedisURI.builder()
            .withHost(server.host())
            .withPort(server.port())
            .withAuthentication("blind", "secret")
            .build();
    assertWaitersPollWithOneWarning(storeOn(uri), "NOPERM");
  }
}
