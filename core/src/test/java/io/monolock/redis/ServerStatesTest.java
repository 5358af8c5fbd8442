// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.monolock.store.Grant.Busy;
import io.monolock.store.Grant.Granted;
import io.monolock.store.LockKeys;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Servers that do not do what they are asked, and say why. */
class ServerStatesTest extends StoreOnRedis {

  private final RedisServer server =
      RedisServer.builder().config("repl-diskless-sync-delay", "0").start();
  private final RedisLockStore store = storeOn(server);

  @AfterEach
  void closeServer() {
    server.close();
  }

  private static void assertFailure(Mono<?> call, Reason reason, boolean isTransient) {
    StoreFailure failure = failure(call);
    assertThat(failure.reason()).as(failure.toString()).isEqualTo(reason);
    assertThat(failure.isTransient()).as(failure.toString()).isEqualTo(isTransient);
  }

  private void allow(String user, String... rules) {
    String[] words = new String[rules.length + 5];
    System.arraycopy(new String[] {"ACL", "SETUSER", user, "on", ">secret"}, 0, words, 0, 5);
    System.arraycopy(rules, 0, words, 5, rules.length);
    server.command(words);
  }

  private RedisLockStore storeOf(String user) {
    return storeOn(
        RedisURI.builder()
            .withHost(server.host())
            .withPort(server.port())
            .withAuthentication(user, "secret")
            .build());
  }

  /** B79 */
  @Test
  void aReplicaNeverSaysNoItSaysThatItIsAReplica() {
    try (RedisServer replica = RedisServer.start()) {
      replica.command("REPLICAOF", server.host(), "" + server.port());
      await()
          .until(() -> replica.commandAsString("INFO", "replication").contains("link_status:up"));
      for (var keys : List.of(A, AB)) {
        assertEachCallIsRefusedBy(replica, keys);
        acquire(store, keys, BOB);
        await().until(() -> replica.commandAsLong("EXISTS", "lock:a") == 1);
        assertEachCallIsRefusedBy(replica, keys);
        result(store.release(keys, BOB, Duration.ZERO));
        await().until(() -> replica.commandAsLong("EXISTS", "lock:a") == 0);
      }
    }
  }

  /** A store leaves the replica after one call, so each call has a store of its own. */
  private void assertEachCallIsRefusedBy(RedisServer replica, LockKeys keys) {
    int calls = callsOfTheHolder(store, keys).size();
    for (int i = 0; i <= calls; i++) {
      RedisLockStore onReplica = storeOn(replica);
      Mono<?> call =
          i < calls ? callsOfTheHolder(onReplica, keys).get(i) : onReplica.inspect("lock:a");
      assertFailure(call, Reason.SERVER_STATE, true);
    }
  }

  /** B79 */
  @Test
  void aReplicaDoesNotSayWhatKindOfDataAKeyHolds() {
    try (RedisServer replica = RedisServer.start()) {
      server.command("RPUSH", "lock:a", "element");
      replica.command("REPLICAOF", server.host(), "" + server.port());
      await().until(() -> replica.commandAsLong("EXISTS", "lock:a") == 1);

      assertFailure(storeOn(replica).inspect("lock:a"), Reason.SERVER_STATE, true);
      assertThat(result(store.inspect("lock:a")).metadata()).isEmpty();
    }
  }

  /** B88 */
  @Test
  void withoutMemoryNothingNewIsTakenButEverythingElseWorks() {
    acquire(store, AB, ALICE);
    server.command("CONFIG", "SET", "maxmemory", "1");
    assertThat(result(store.extend(AB, ALICE, LONG.multipliedBy(2)))).isTrue();
    assertThat(result(store.remaining(AB, ALICE))).isGreaterThan(LONG);
    assertThat(result(store.extend(AB, BOB, LONG))).isFalse();
    assertThat(result(store.inspect("lock:a")).metadata()).contains("");

    for (boolean fenced : new boolean[] {false, true}) {
      assertFailure(store.acquire(A, ALICE, "", LONG, fenced), Reason.SERVER_STATE, true);
      assertFailure(store.acquire(AB, ALICE, "", LONG, fenced), Reason.SERVER_STATE, true);
    }
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(2);
    assertThat(result(store.transfer(AB, ALICE, BOB, "", LONG, true)).released()).isTrue();
    assertThat(result(store.raiseFence(AB, BOB, 1))).isTrue();

    assertThat(result(store.release(AB, BOB, Duration.ZERO))).isTrue();
    for (boolean fenced : new boolean[] {false, true}) {
      assertFailure(store.acquire(A, ALICE, "", LONG, fenced), Reason.SERVER_STATE, true);
      assertFailure(store.acquire(AB, ALICE, "", LONG, fenced), Reason.SERVER_STATE, true);
    }
    assertThat(server.commandAsLong("EXISTS", "lock:a", "lock:b")).isZero();

    server.command("CONFIG", "SET", "maxmemory", "0");
    assertThat(acquire(store, AB, ALICE)).isInstanceOf(Granted.class);
    server.command("CONFIG", "SET", "maxmemory", "1");
    assertThat(result(store.forceRelease("lock:a"))).isTrue();
  }

  /** B76 */
  @Test
  void tooFewReplicasAreAFailureOfTheirOwn() {
    acquire(store, AB, ALICE);
    server.command("CONFIG", "SET", "min-replicas-to-write", "1");
    for (Mono<?> call : callsOfTheHolder(store, AB)) {
      assertFailure(call, Reason.NOT_REPLICATED, true);
    }
    server.command("CONFIG", "SET", "min-replicas-to-write", "0");
    assertThat(result(store.release(AB, ALICE, Duration.ZERO))).isTrue();
  }

  /** B92 */
  @Test
  void aLongScriptOfAnotherClientIsTransient() throws IOException {
    acquire(store, A, ALICE);
    server.command("CONFIG", "SET", "lua-time-limit", "1");
    try (Socket other = new Socket(server.host(), server.port())) {
      other
          .getOutputStream()
          .write("EVAL 'while true do end' 0\r\n".getBytes(StandardCharsets.US_ASCII));
      await()
          .untilAsserted(() -> assertFailure(store.remaining(A, ALICE), Reason.SERVER_STATE, true));
      server.command("SCRIPT", "KILL");
    }
    await().untilAsserted(() -> assertThat(result(store.remaining(A, ALICE))).isPositive());
  }

  /** B80 */
  @Test
  void aServerThatForgetsItsScriptsIsSentThemAgain() {
    RedisLockStore forgetful = store;
    assertThat(afterFlush(forgetful.acquire(AB, ALICE, "", LONG, true)))
        .isInstanceOf(Granted.class);
    assertThat(afterFlush(forgetful.acquire(AB, BOB, "", LONG, true))).isInstanceOf(Busy.class);
    assertThat(afterFlush(forgetful.extend(AB, ALICE, LONG))).isTrue();
    assertThat(afterFlush(forgetful.remaining(AB, ALICE))).isPositive();
    assertThat(afterFlush(forgetful.raiseFence(AB, ALICE, 1))).isTrue();
    assertThat(afterFlush(forgetful.transfer(AB, ALICE, BOB, "", LONG, true)).released()).isTrue();
    assertThat(afterFlush(forgetful.inspect("lock:a")).metadata()).contains("");
    assertThat(afterFlush(forgetful.release(AB, BOB, Duration.ZERO))).isTrue();
    assertThat(afterFlush(forgetful.forceRelease("lock:a"))).isFalse();
  }

  private <T> T afterFlush(Mono<T> call) {
    server.command("SCRIPT", "FLUSH");
    return result(call);
  }

  @Test
  void aScriptIsSentWholeOnlyOnce() {
    for (int i = 0; i < 5; i++) {
      acquire(store, A, ALICE);
    }
    String stats = server.commandAsString("INFO", "commandstats");
    // once more for the check of the version, when the connection was opened
    assertThat(stats).contains("cmdstat_eval:calls=2,").contains("cmdstat_evalsha:calls=5,");
  }

  /** B83: this is what the documentation asks for. */
  @Test
  void theDocumentedPermissionsAreEnough() {
    allow(
        "modest",
        "~lock:*",
        "+evalsha",
        "+eval",
        "+set",
        "+getex",
        "+setrange",
        "+pttl",
        "+pexpire",
        "+del",
        "+time");
    RedisLockStore modest = storeOf("modest");
    assertThat(result(modest.acquire(AB, ALICE, "", LONG, true))).isInstanceOf(Granted.class);
    assertThat(result(modest.acquire(AB, BOB, "", LONG, true))).isInstanceOf(Busy.class);
    for (Mono<?> call : callsOfTheHolder(modest, AB)) {
      result(call);
    }
    result(modest.inspect("lock:a"));
  }

  /** B82 */
  @Test
  void scriptsThatAreForbiddenAreAMatterOfPermission() {
    allow("scriptless", "~*", "+@all", "-eval", "-evalsha");
    RedisLockStore scriptless = storeOf("scriptless");
    for (Mono<?> call : callsOfTheHolder(scriptless, AB)) {
      assertFailure(call, Reason.PERMISSION, false);
    }
  }

  @Test
  void aCommandThatIsForbiddenInsideAScriptIsAMatterOfPermission() {
    allow("reader", "~*", "+@all", "-set", "-pexpire", "-del");
    acquire(store, AB, ALICE);
    RedisLockStore reader = storeOf("reader");
    assertFailure(reader.acquire(A, ALICE, "", LONG, false), Reason.PERMISSION, false);
    assertFailure(reader.acquire(AB, ALICE, "", LONG, true), Reason.PERMISSION, false);
    assertFailure(reader.extend(AB, ALICE, LONG.multipliedBy(2)), Reason.PERMISSION, false);
    assertFailure(reader.release(AB, ALICE, Duration.ZERO), Reason.PERMISSION, false);
    assertFailure(reader.transfer(AB, ALICE, BOB, "", LONG, true), Reason.PERMISSION, false);
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(2);
  }

  @Test
  void aForbiddenFenceLeavesTheLockKeysUntouched() {
    allow("unfenced", "~lock:a", "~lock:b", "+@all");
    RedisLockStore unfenced = storeOf("unfenced");
    assertFailure(unfenced.acquire(AB, ALICE, "", LONG, true), Reason.PERMISSION, false);
    assertThat(server.commandAsLong("DBSIZE")).isZero();
    acquire(unfenced, AB, ALICE);
    assertFailure(unfenced.transfer(AB, ALICE, BOB, "", LONG, true), Reason.PERMISSION, false);
    assertThat(result(unfenced.remaining(AB, ALICE))).isPositive();
    assertThat(server.commandAsLong("DBSIZE")).isEqualTo(2);
  }

  @Test
  void aWrongPasswordIsAMatterOfPermission() {
    allow("modest", "~*", "+@all");
    RedisURI uri =
        RedisURI.builder()
            .withHost(server.host())
            .withPort(server.port())
            .withAuthentication("modest", "wrong")
            .build();
    RedisLockStore refused = storeOn(uri);
    // now and then Lettuce reports first that the connection was closed, which it does itself
    await()
        .untilAsserted(() -> assertFailure(refused.remaining(A, ALICE), Reason.PERMISSION, false));
  }

  /** B96 */
  @Test
  void aMissingPasswordIsAMatterOfPermission() {
    server.command("CONFIG", "SET", "requirepass", "secret");
    assertFailure(store.remaining(A, ALICE), Reason.PERMISSION, false);
  }

  @Test
  void aMissingCommandIsAMatterOfPermissionAndNoTokenIsShown() {
    for (String command : List.of("GETEX", "EVALSHA")) {
      try (RedisServer old =
          RedisServer.builder().config("rename-command", command + " \"\"").start()) {
        RedisLockStore onOld = storeOn(old);
        assertFailure(onOld.remaining(A, ALICE), Reason.PERMISSION, false);
        assertThat(failure(onOld.remaining(A, ALICE)).getMessage()).doesNotContain(ALICE);
      }
    }
  }
}
