// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static io.monolock.redis.Lockers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.Grant;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.ClientJvm;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisServer;
import io.monolock.test.Stranger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** How connections are opened: what is sent over them in which order, by which threads, to whom. */
class ConnectingTest {

  private static final LockOptions OPTIONS = LockOptions.of(Duration.ofSeconds(30));

  private static final String ALICE = "Alice-Alice-Alice-Alic";

  private static RedisServer server;

  @RegisterExtension private final Lockers lockers = new Lockers();

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    server.command("ACL", "SETUSER", "app", "on", ">secret-of-app", "~*", "+@all");
    server.command("ACL", "SETUSER", "app2", "on", ">secret-of-app2", "~*", "+@all");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void callsThatWaitForAConnectionAreSentInTheirOrder() {
    LockKeys keys = LockKeys.of("order:1");
    RedisLockStore store =
        lockers.store(RedisLockStore.create(lockers.client(), RedisURI.create(server.uri())));

    CompletableFuture<Grant> grant =
        store.acquire(keys, ALICE, "", Duration.ofMinutes(1), false).toFuture();
    CompletableFuture<Boolean> released = store.release(keys, ALICE, Duration.ZERO).toFuture();

    assertThat(grant).succeedsWithin(LIMIT).isInstanceOf(Grant.Granted.class);
    assertThat(released).as("release that was called second").succeedsWithin(LIMIT).isEqualTo(true);
    assertThat(server.commandAsLong("EXISTS", "order:1")).isZero();
  }

  @Test
  void callsThatWaitForTheViewOfAClusterAreSentInTheirOrder() {
    RedisCluster cluster = lockers.closing(RedisCluster.start());
    RedisLockStore store = lockers.store(RedisLockStore.create(lockers.client(cluster)));

    List<CompletableFuture<?>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      LockKeys keys = LockKeys.of("order:" + i);
      answers.add(store.acquire(keys, ALICE, "", Duration.ofMinutes(1), false).toFuture());
      answers.add(store.release(keys, ALICE, Duration.ZERO).toFuture());
    }

    for (int i = 0; i < answers.size(); i += 2) {
      assertThat(answers.get(i)).succeedsWithin(LIMIT).isInstanceOf(Grant.Granted.class);
      assertThat(answers.get(i + 1)).succeedsWithin(LIMIT).isEqualTo(true);
    }
  }

  @Test
  void aCallWhoseCallerHasGivenUpBeforeAConnectionIsOpenIsNeverSent() {
    FaultProxy proxy = lockers.closing(FaultProxy.before(server));
    proxy.blackHole(true);
    RedisLockStore store =
        lockers.store(RedisLockStore.create(lockers.client(), RedisURI.create(proxy.uri())));
    CompletableFuture<Grant> grant =
        store.acquire(LockKeys.of("order:2"), ALICE, "", Duration.ofMinutes(1), false).toFuture();

    await()
        .atMost(LIMIT)
        .until(
            () -> {
              store.overdue(Duration.ofMillis(50));
              return grant.isDone();
            });
    assertThat(grant)
        .failsWithin(LIMIT)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            StoreFailure.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(Reason.UNAVAILABLE);
              assertThat(failure.isInDoubt()).isFalse();
            });

    proxy.blackHole(false);
    get(store.warmUp().retry(5));
    get(store.remaining(LockKeys.of("order:3"), ALICE));
    assertThat(server.commandAsLong("EXISTS", "order:2")).isZero();
  }

  @Test
  void aConnectionMayTakeLongerToOpenThanACall() {
    FaultProxy proxy = lockers.closing(FaultProxy.before(server));
    proxy.delayReplies(Duration.ofMillis(400));
    RedisLockStore store =
        lockers.store(RedisLockStore.create(lockers.client(), RedisURI.create(proxy.uri())));
    CompletableFuture<Boolean> open = store.warmUp().thenReturn(true).toFuture();

    await()
        .atMost(LIMIT)
        .until(
            () -> {
              store.overdue(Duration.ofMillis(100));
              return open.isDone() || proxy.accepted() > 8;
            });

    assertThat(open).succeedsWithin(LIMIT);
  }

  @Test
  void anAttemptToConnectThatHangsDelaysNoOtherOne() {
    FaultProxy proxy = lockers.closing(FaultProxy.before(server));
    proxy.blackHole(true);
    RedisLockStore store =
        lockers.store(RedisLockStore.create(lockers.client(), RedisURI.create(proxy.uri())));
    store.warmUp().subscribe(nothing -> {}, e -> {});
    await().atMost(LIMIT).until(() -> proxy.accepted() == 1);

    // as when another server gets the address: what was begun before still hangs
    proxy.leadTo(server);
    proxy.blackHole(false);
    store.overdue(Duration.ofMillis(1));

    assertThat(get(store.acquire(LockKeys.of("order:7"), ALICE, "", Duration.ofMinutes(1), false)))
        .isInstanceOf(Grant.Granted.class);
  }

  @Test
  void openingIsGivenUpAfterTheTimeoutOfTheUri() {
    FaultProxy proxy = lockers.closing(FaultProxy.before(server));
    proxy.blackHole(true);
    RedisURI uri = RedisURI.create(proxy.uri());
    uri.setTimeout(Duration.ofMillis(300));
    RedisLockStore store = lockers.store(RedisLockStore.create(lockers.client(), uri));

    assertThatExceptionOfType(StoreFailure.class)
        .isThrownBy(() -> get(store.warmUp()))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.UNAVAILABLE));
  }

  @Test
  void aServerThatFollowsAStrangerGivesItNoPassword() {
    RedisServer lone = lockers.closing(RedisServer.start());
    Stranger stranger = lockers.closing(Stranger.silent());
    lone.command("ACL", "SETUSER", "app", "on", ">secret-of-app", "~*", "+@all");
    RedisURI uri =
        RedisURI.builder(RedisURI.create(lone.uri()))
            .withAuthentication("app", "secret-of-app")
            .build();
    RedisLockStore store = RedisLockStore.create(lockers.client(), uri);
    ReactiveLocker locker = lockers.over(store, Duration.ofSeconds(1));
    await().atMost(LIMIT).until(() -> canLock(locker, "order:3"));

    lone.command("REPLICAOF", stranger.host(), "" + stranger.port());
    for (int attempt = 0; attempt < 3; attempt++) {
      canLock(locker, "order:4");
    }

    assertThat(stranger.received().contains("secret-of-app"))
        .as("a stranger was sent the password")
        .isFalse();
  }

  @Test
  void aReplicaThatIsTrustedIsFollowedWithThePassword() {
    RedisServer lone = lockers.closing(RedisServer.start());
    RedisServer primary = lockers.closing(RedisServer.start());
    for (RedisServer each : List.of(lone, primary)) {
      each.command("ACL", "SETUSER", "app", "on", ">secret-of-app", "~*", "+@all");
    }
    lone.command("REPLICAOF", primary.host(), "" + primary.port());
    RedisURI uri =
        RedisURI.builder(RedisURI.create(lone.uri()))
            .withAuthentication("app", "secret-of-app")
            .build();
    ReactiveLocker locker =
        lockers.over(
            RedisLockStore.builder(lockers.client(), uri).followWithCredentials(true).build());

    await().atMost(LIMIT).until(() -> canLock(locker, "order:8"));
  }

  private static boolean canLock(ReactiveLocker locker, String key) {
    return Boolean.TRUE.equals(
        locker
            .tryAcquire(key, OPTIONS)
            .flatMap(lock -> lock.release())
            .onErrorReturn(LockStoreException.class, false)
            .block(LIMIT));
  }

  @Test
  void newCredentialsAreSentOverAConnectionThatIsIdle() {
    Credentials credentials = new Credentials();
    credentials.become("app");
    RedisClient client = lockers.client();
    client.setOptions(
        ClientOptions.builder()
            .reauthenticateBehavior(ClientOptions.ReauthenticateBehavior.ON_NEW_CREDENTIALS)
            .build());
    RedisURI uri = RedisURI.create(server.uri());
    uri.setCredentialsProvider(credentials);
    ReactiveLocker locker = lockers.over(RedisLockStore.create(client, uri));
    get(locker.acquire("order:5", OPTIONS));
    assertThat(users()).contains("app").doesNotContain("app2");

    credentials.become("app2");

    await()
        .atMost(Duration.ofSeconds(3))
        .untilAsserted(() -> assertThat(users()).contains("app2").doesNotContain("app"));
  }

  /** As whom the clients of the server have authenticated. */
  private static List<String> users() {
    return server
        .commandAsString("CLIENT", "LIST")
        .lines()
        .map(client -> client.replaceFirst(".* user=(\\S+).*", "$1"))
        .toList();
  }

  private static final class Credentials implements RedisCredentialsProvider {
    private final Sinks.Many<RedisCredentials> all = Sinks.many().replay().latest();

    void become(String user) {
      all.tryEmitNext(RedisCredentials.just(user, ("secret-of-" + user).toCharArray())).orThrow();
    }

    @Override
    public Mono<RedisCredentials> resolveCredentials() {
      return all.asFlux().next();
    }

    @Override
    public boolean supportsStreaming() {
      return true;
    }

    @Override
    public Flux<RedisCredentials> credentials() {
      return all.asFlux();
    }
  }

  @Test
  void theCommonPoolIsNotNeeded() {
    Stranger silent = lockers.closing(Stranger.silent());
    ClientJvm jvm =
        lockers.closing(
            ClientJvm.start(
                // as a machine with three processors has it; with fewer it is not used
                List.of("-Djava.util.concurrent.ForkJoinPool.common.parallelism=2"),
                WithFullCommonPool.class,
                "redis://" + silent.host() + ":" + silent.port(),
                server.uri()));

    assertThat(jvm.readLine(LIMIT)).isEqualTo("locked");
  }
}
