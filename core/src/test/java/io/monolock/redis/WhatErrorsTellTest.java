// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static io.monolock.redis.Lockers.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.monolock.LockNotAcquiredException;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.RedisServer;
import io.monolock.test.Stranger;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the error of a store tells its caller, and what it must not tell. */
class WhatErrorsTellTest {

  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(30)).waitAtMost(Duration.ZERO);

  @RegisterExtension private final Lockers lockers = new Lockers();

  private static LockStoreException trouble(
      ReactiveLocker locker, String key, LockOptions options) {
    return assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> locker.acquire(key, options).block(LIMIT))
        .actual();
  }

  @Test
  void noTokenIsToldWhenTheServerRepeatsItsArguments() {
    String token = "0123456789abcdefghijkl";
    RedisServer server =
        lockers.closing(RedisServer.builder().config("rename-command", "EVALSHA \"\"").start());

    LockStoreException refused = trouble(lockers.on(server.uri()), "order:1", OPTIONS.token(token));

    assertThat(causes(refused)).noneMatch(text -> text.contains(token));
  }

  /** The error and its causes, as a log shows them. */
  private static List<String> causes(Throwable error) {
    return Stream.iterate(error, Objects::nonNull, Throwable::getCause)
        .map(Throwable::toString)
        .toList();
  }

  @Test
  void aLineBreakInAKeyForgesNoLineOfALog() {
    String key = "a\nERROR forged";
    RedisServer server = lockers.closing(RedisServer.start());
    server.command("RPUSH", key, "no lock");

    LockStoreException misused = trouble(lockers.on(server.uri()), key, OPTIONS);

    assertThat(misused.reason()).isEqualTo(Reason.MISUSE);
    assertThat(misused.getMessage()).doesNotContain("\n");
  }

  @Test
  void anAlertThatIsNotAboutCertificatesIsNotAMatterOfPermission() {
    byte[] internalError = {21, 3, 3, 0, 2, 2, 80};
    Stranger stranger = lockers.closing(Stranger.answering(internalError));
    String uri = "rediss://" + stranger.host() + ":" + stranger.port();

    LockStoreException failed = trouble(lockers.on(uri), "order:1", OPTIONS);

    assertThat(failed.reason()).as(failed.getMessage()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(failed.isTransient()).isTrue();
  }

  @Test
  void dataOfAnApplicationIsToldFromALockAndNeverDeleted() {
    RedisServer server = lockers.closing(RedisServer.start());
    ReactiveLocker locker = lockers.on(server.uri());
    server.command("SET", "data", "the price list of an application");
    server.command("SET", "foreign", "any other client's lock", "PX", "60000");
    server.command("SET", "eternal", "0123456789abcdefghijkl of a lock");
    server.command("RPUSH", "list", "element");
    server.command("PEXPIRE", "list", "60000");

    assertThat(isLock(locker, "data")).isFalse();
    assertThat(isLock(locker, "list")).isFalse();
    assertThat(isLock(locker, "foreign")).isTrue();
    assertThat(isLock(locker, "eternal")).isTrue();
    for (String key : List.of("data", "list")) {
      assertThatExceptionOfType(LockStoreException.class)
          .isThrownBy(() -> locker.forceRelease(key).block(LIMIT))
          .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.MISUSE));
    }
    assertThat(locker.forceRelease("foreign").block(LIMIT)).isTrue();
    assertThat(locker.forceRelease("eternal").block(LIMIT)).isTrue();
    assertThat(locker.forceRelease("free").block(LIMIT)).isFalse();
    assertThat(server.commandAsLong("EXISTS", "data", "list", "foreign", "eternal")).isEqualTo(2);
    assertThatExceptionOfType(LockNotAcquiredException.class)
        .isThrownBy(() -> locker.acquire("data", OPTIONS).block(LIMIT))
        .withMessageContaining("data of an application");
  }

  private static boolean isLock(ReactiveLocker locker, String key) {
    return locker.inspect(key).block(LIMIT).isLock();
  }
}
