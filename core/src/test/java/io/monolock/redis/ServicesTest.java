// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static io.monolock.redis.Lockers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.monolock.Lock;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem;
import io.monolock.test.CommandProxy;
import io.monolock.test.CommandRecorder;
import io.monolock.test.RecordedCommand;
import io.monolock.test.RedisCluster;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;

/** Managed services and proxies that know fewer commands than Redis, or look into scripts. */
class ServicesTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ZERO);

  @RegisterExtension private final Lockers lockers = new Lockers();

  private ReactiveLocker lockerBehind(CommandProxy.Rule rule) {
    RedisServer server = lockers.closing(RedisServer.start());
    return lockers.on(lockers.closing(CommandProxy.before(server, () -> rule)).uri());
  }

  private static final Set<String> KNOWN_TO_PROXIES =
      Set.of("EVAL", "EVALSHA", "AUTH", "PING", "QUIT", "GET", "SET", "DEL", "PTTL", "PEXPIRE");

  private static Optional<String> passScripts(List<String> command) {
    return KNOWN_TO_PROXIES.contains(command.get(0))
        ? Optional.empty()
        : Optional.of("-ERR unknown command '" + command.get(0) + "'");
  }

  @Test
  void aProxyThatPassesScriptsNeedsToKnowNoOtherCommand() {
    ReactiveLocker locker = lockerBehind(ServicesTest::passScripts);

    Lock lock = get(locker.acquire("order:42", OPTIONS));

    assertThat(lock.isValid()).isTrue();
    assertThat(get(lock.release())).isTrue();
  }

  private static final Pattern CALL =
      Pattern.compile("redis\\.p?call\\(\\s*['\"](\\w+)['\"]\\s*(?:,\\s*([^,)]*))?");
  private static final Set<String> WITHOUT_KEY = Set.of("TIME", "INFO", "PING");

  /** As a service that wants to see all keys of a script in it, which it says of its clusters. */
  private static Optional<String> refuseHiddenKeys(List<String> command) {
    return command.get(0).equals("EVAL") && hidesKeys(command.get(1))
        ? Optional.of(
            "-ERR bad lua script for redis cluster, all the keys that the script uses should be"
                + " passed using the KEYS array, and KEYS should not be in expression")
        : Optional.empty();
  }

  private static boolean hidesKeys(String script) {
    Matcher calls = CALL.matcher(script);
    while (calls.find()) {
      String key = calls.group(2);
      if (!WITHOUT_KEY.contains(calls.group(1))
          && (key == null || !key.strip().startsWith("KEYS["))) {
        return true;
      }
    }
    return false;
  }

  @Test
  void allScriptsNameTheirKeysWhereTheyUseThem() {
    ReactiveLocker locker = lockerBehind(ServicesTest::refuseHiddenKeys);
    Lock lock = get(locker.acquire(List.of("order:1", "order:2"), OPTIONS.fenced(true)));

    assertThat(get(lock.extend(Duration.ofMinutes(1)).thenReturn("extended")))
        .isEqualTo("extended");
    assertThat(get(lock.ttl())).isPositive();
    assertThat(get(locker.inspect("order:1"))).isNotNull();
    assertThat(get(locker.tryAcquire("order:2", OPTIONS).hasElement())).isFalse();
    assertThat(get(lock.release())).isTrue();
  }

  @Test
  void workLongerThanItsTtlIsDoneUnderItsLock() {
    ReactiveLocker locker = lockerBehind(ServicesTest::refuseHiddenKeys);
    get(locker.acquire("warm-up", OPTIONS));
    LockOptions second = OPTIONS.ttl(Duration.ofSeconds(1));

    Mono<String> work =
        locker.withLock(
            "order:1", second, lock -> Mono.delay(Duration.ofSeconds(2)).thenReturn("done"));

    assertThat(work.block(LIMIT)).isEqualTo("done");
  }

  /** As of a service that looks like one server, and has slots. */
  @Test
  void aFenceKeyInAnotherSlotIsNamedToAClientThatKnowsNoCluster() {
    RedisCluster cluster = lockers.closing(RedisCluster.start());
    ReactiveLocker locker = lockers.on(cluster.ownerOf("order:42").uri());
    get(locker.acquire("order:42", OPTIONS).flatMap(Lock::release));

    assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> get(locker.acquire("order:42", OPTIONS.fenced(true))))
        .satisfies(
            e -> assertThat(e.reason()).isEqualTo(StoreProblem.Reason.MISUSE),
            e -> assertThat(e).hasMessageContaining("order:42:fence"));
  }

  @Test
  void onlyScriptsAreSentBesideWhatOpensAConnection() {
    RedisServer server = lockers.closing(RedisServer.start());
    try (CommandRecorder recorder = CommandRecorder.of(server)) {
      ReactiveLocker locker = lockers.on(server.uri());
      Lock lock = get(locker.acquire(List.of("order:1", "order:2"), OPTIONS.fenced(true)));
      get(lock.extend(Duration.ofMinutes(1)));
      get(lock.ttl());
      get(locker.inspect("order:1"));
      get(lock.release());

      await()
          .atMost(LIMIT)
          .until(() -> names(recorder).stream().filter("evalsha"::equals).count() >= 5);
      assertThat(names(recorder)).isSubsetOf("eval", "evalsha", "hello", "client", "acl");
    }
  }

  private static List<String> names(CommandRecorder recorder) {
    return recorder.commands().stream()
        .filter(command -> !command.isOfScript())
        .map(RecordedCommand::name)
        .toList();
  }
}
