// SPDX-License-Identifier: Apache-2.0
package io.monolock.faults;

import static io.monolock.store.StoreProblem.Reason.PERMISSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisURI;
import io.lettuce.core.protocol.ProtocolVersion;
import io.monolock.Lock;
import io.monolock.LockLostException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.test.RedisExtension;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A user of Redis with some rights only, and passwords that change. */
@ExtendWith(RedisExtension.class)
class PermissionTest extends LockerUnderFault {

  private static final LockOptions WAITING = OPTIONS.waitAtMost(Duration.ofSeconds(10));

  private final RedisServer server;
  private final AtomicReference<String> password = new AtomicReference<>("secret");

  PermissionTest(RedisServer server) {
    this.server = server;
  }

  @AfterEach
  void deleteUser() {
    server.command("ACL", "DELUSER", "app");
  }

  private void allow(String... rules) {
    server.command(
        Stream.concat(Stream.of("ACL", "SETUSER", "app", "on", ">secret"), Stream.of(rules))
            .toArray(String[]::new));
  }

  private RedisURI uri() {
    return RedisURI.builder()
        .withHost(server.host())
        .withPort(server.port())
        .withAuthentication(
            () -> Mono.fromSupplier(() -> RedisCredentials.just("app", password.get())))
        .build();
  }

  private static void assertRefusedAtOnce(Mono<?> call, String text) {
    Duration taken =
        timed(
            () -> {
              LockStoreException refused = trouble(call);
              assertThat(refused.reason()).as(refused.toString()).isEqualTo(PERMISSION);
              assertThat(refused.isTransient()).isFalse();
              assertThat(refused.getMessage()).containsIgnoringCase(text);
            });
    assertThat(taken).isLessThan(Duration.ofSeconds(3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"evalsha", "eval"})
  @DisplayName("B82: scripts that are forbidden end a waiting call at once, and it says which")
  void forbiddenScriptsAreReportedAtOnce(String command) {
    allow("~*", "+@all", "-" + command);
    assertRefusedAtOnce(locker(uri()).acquire("lock:a", WAITING), command);
  }

  @ParameterizedTest
  @ValueSource(strings = {"EVALSHA", "EVAL"})
  @DisplayName("B82: scripts that a provider has renamed away end a waiting call at once")
  void missingScriptsAreReportedAtOnce(String command) {
    try (RedisServer managed =
        RedisServer.builder().config("rename-command", command + " \"\"").start()) {
      ReactiveLocker locker = locker(managed.uri());
      assertRefusedAtOnce(locker.acquire("lock:a", WAITING), command);
      locker.close().block(LIMIT);
    }
  }

  private static String[] documentedRules() {
    try {
      String line =
          Files.readString(Path.of("../docs/operations.md"))
              .lines()
              .filter(text -> text.startsWith("ACL SETUSER app "))
              .findFirst()
              .orElseThrow();
      return line.substring(line.indexOf('~')).split(" ");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  @DisplayName("B83: the permissions that are documented are enough for all that a locker does")
  void documentedPermissionsAreEnough(ProtocolVersion protocol) {
    allow(documentedRules());
    ReactiveLocker locker =
        locker(client(null, ClientOptions.builder().protocolVersion(protocol).build()), uri());
    LockOptions fenced = OPTIONS.fenced(true).metadata("host");
    List<String> keys = List.of("lock:a", "lock:b");

    Lock lock = locker.acquire(keys, fenced).block(LIMIT);
    assertThat(locker.tryAcquire("lock:b", OPTIONS).block(LIMIT)).isNull();
    lock.extend(Duration.ofSeconds(60)).block(LIMIT);
    assertThat(lock.ttl().block(LIMIT)).isPositive();
    assertThat(locker.inspect("lock:a").block(LIMIT).metadata()).contains("host");
    assertThat(locker.attach(keys, lock.token(), OPTIONS).block(LIMIT)).isNotNull();
    assertThat(released(lock)).isTrue();
    Lock kept = locker.acquire("lock:a", fenced.holdAtLeast(OPTIONS.ttl())).block(LIMIT);
    assertThat(released(kept)).isTrue();
    assertThat(locker.forceRelease("lock:a").block(LIMIT)).isTrue();
    assertRefusedAtOnce(locker.acquire("other", WAITING), "key");
  }

  @Test
  @DisplayName("B83: a command that is forbidden inside a script is refused, not tried for ever")
  void aCommandForbiddenInsideAScriptIsReportedAtOnce() {
    allow("~*", "+@all", "-set", "-pexpire", "-del");
    ReactiveLocker locker = locker(uri());
    assertRefusedAtOnce(locker.acquire("lock:a", WAITING), "script");
    assertRefusedAtOnce(locker.acquire(List.of("lock:a", "lock:b"), WAITING.fenced(true)), "");
    assertThat(server.commandAsLong("DBSIZE")).isZero();

    allow("+set");
    Lock lock = locker.acquire("lock:a", WAITING).block(LIMIT);
    assertRefusedAtOnce(lock.release(), "");
    assertThat(server.commandAsLong("PTTL", "lock:a")).isPositive();
  }

  private void rotate(String secret) {
    server.command("ACL", "SETUSER", "app", "resetpass", ">" + secret);
    server.command("CLIENT", "KILL", "USER", "app");
  }

  private static void awaitRefusal(ReactiveLocker locker) {
    // now and then Lettuce reports first that the connection was closed, which it does itself
    await()
        .untilAsserted(
            () ->
                assertThat(trouble(locker.tryAcquire("lock:other", OPTIONS)).reason())
                    .isEqualTo(PERMISSION));
  }

  @Test
  @DisplayName("B96: a rotated password is refused until it is served, and nothing held is lost")
  void rotatedPasswordIsSurvived() {
    allow("~*", "+@all");
    ReactiveLocker locker = locker(uri());
    Sinks.One<String> work = Sinks.one();
    CompletableFuture<String> held =
        locker
            .withLock("lock:held", OPTIONS.ttl(Duration.ofSeconds(5)), lock -> work.asMono())
            .toFuture();
    await().until(() -> exists(server, "lock:held"));

    rotate("changed");
    awaitRefusal(locker);
    await().during(Duration.ofMillis(1_500)).until(() -> !held.isDone());
    password.set("changed");

    // a connection may just be opened with the old one
    await()
        .ignoreExceptionsInstanceOf(LockStoreException.class)
        .until(() -> locker.acquire("lock:other", WAITING).block(LIMIT).isValid());
    await().during(Duration.ofSeconds(4)).until(() -> !held.isDone());
    work.tryEmitValue("done");
    assertThat(held).succeedsWithin(LIMIT).isEqualTo("done");
    assertThat(exists(server, "lock:held")).isFalse();
  }

  @Test
  @DisplayName(
      "B96: with a password that is never served, what is held is lost at its deadline only")
  void neverServedPasswordLosesAtTheDeadline() {
    allow("~*", "+@all");
    ReactiveLocker locker = locker(uri());
    warmUp(locker);
    CompletableFuture<Object> held =
        locker
            .withLock("lock:held", OPTIONS.ttl(Duration.ofSeconds(3)), lock -> Mono.never())
            .toFuture();
    await().until(() -> exists(server, "lock:held"));
    rotate("changed");
    awaitRefusal(locker);

    await().during(Duration.ofMillis(500)).until(() -> !held.isDone());
    assertThatThrownBy(() -> held.get(5, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            LockLostException.class,
            e -> assertThat(e.reason()).isEqualTo(LockLostException.Reason.REFUSED));
  }

  @Test
  @DisplayName("B96: a password that was not asked for before is asked for after a reconnect")
  void newPasswordIsAMatterOfPermission() {
    ReactiveLocker locker = locker(server.uri());
    warmUp(locker);
    server.configure("requirepass", "secret");
    server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    awaitRefusal(locker);

    server.configure("requirepass", "");
    assertThat(locker.acquire("lock:other", WAITING).block(LIMIT).isValid()).isTrue();
  }
}
