// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.monolock.Lock;
import io.monolock.LockActivity;
import io.monolock.LockOptions;
import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.store.StoreProblem.Reason;
import io.monolock.test.Certificates;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Locks over TLS, and what a client and a server refuse. */
class TlsTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final LockOptions OPTIONS =
      LockOptions.of(Duration.ofSeconds(60)).waitAtMost(LIMIT);
  private static final String KEY = "lock:a";

  private static RedisServer server;
  private static RedisServer demanding;
  private static Certificates known;
  private static Certificates others;

  private final List<ReactiveLocker> lockers = new ArrayList<>();
  private final List<RedisClient> clients = new ArrayList<>();

  @BeforeAll
  static void start() {
    server = RedisServer.builder().tls().start();
    demanding = RedisServer.builder().mutualTls().start();
    known = Certificates.ofServers();
    others = Certificates.create();
  }

  @AfterAll
  static void stop() {
    server.close();
    demanding.close();
  }

  @BeforeEach
  void empty() {
    server.command("FLUSHALL");
    demanding.command("FLUSHALL");
  }

  @AfterEach
  void closeAll() {
    lockers.forEach(locker -> locker.close().block(LIMIT));
    clients.forEach(client -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2)));
  }

  static SslOptions.Builder trusting(Certificates certificates) {
    return SslOptions.builder().jdkSslProvider().trustManager(certificates.authority().toFile());
  }

  static SslOptions.Builder showing(Certificates certificates) {
    return trusting(Certificates.ofServers())
        .keyManager(certificates.client().toFile(), certificates.clientKey().toFile(), new char[0]);
  }

  private ReactiveLocker locker(SslOptions.Builder ssl, String uri) {
    return locker(ssl, RedisURI.create(uri));
  }

  private ReactiveLocker locker(SslOptions.Builder ssl, RedisURI uri) {
    RedisClient client = RedisClient.create();
    client.setOptions(ClientOptions.builder().sslOptions(ssl.build()).build());
    clients.add(client);
    ReactiveLocker locker = ReactiveLocker.create(RedisLockStore.create(client, uri));
    lockers.add(locker);
    return locker;
  }

  private static void assertLocks(ReactiveLocker locker) {
    Lock lock = locker.acquire(KEY, OPTIONS).block(LIMIT);
    assertThat(lock.release().block(LIMIT)).isTrue();
  }

  private static void assertRefusedAtOnce(ReactiveLocker locker, String text) {
    LockStoreException refused = trouble(locker, OPTIONS);
    assertThat(refused.reason()).as(refused.toString()).isEqualTo(Reason.PERMISSION);
    assertThat(refused.isTransient()).isFalse();
    assertThat(refused).hasMessageContaining("TLS certificates").hasMessageContaining(text);
  }

  private static LockStoreException trouble(ReactiveLocker locker, LockOptions options) {
    return assertThatExceptionOfType(LockStoreException.class)
        .isThrownBy(() -> locker.acquire(KEY, options).block(LIMIT))
        .actual();
  }

  @Test
  void aLockIsTakenWaitedForAndFreed() {
    ReactiveLocker locker = locker(trusting(known), server.uri());
    ReactiveLocker other = locker(trusting(known), server.uri());
    Lock lock = locker.acquire(KEY, OPTIONS.fenced(true)).block(LIMIT);
    CompletableFuture<Lock> waiter = other.acquire(KEY, OPTIONS).toFuture();
    await()
        .until(
            () ->
                other.activity().stream()
                    .anyMatch(one -> one.state() == LockActivity.State.WAITING));

    assertThat(lock.release().block(LIMIT)).isTrue();

    assertThat(waiter).succeedsWithin(LIMIT).matches(Lock::isValid);
  }

  @Test
  void aServerOfAnotherAuthorityIsRefused() {
    assertRefusedAtOnce(locker(trusting(others), server.uri()), "PKIX path");
  }

  @Test
  void aServerThatIsNotTrustedIsRefused() {
    assertRefusedAtOnce(
        locker(SslOptions.builder().jdkSslProvider(), server.uri()), "unable to find valid");
  }

  @Test
  void aServerOfAnotherNameIsRefused() {
    RedisURI uri = RedisURI.create("localhost", server.port());
    uri.setSsl(true);
    assertRefusedAtOnce(locker(trusting(known), uri), "No name matching localhost");
    uri.setVerifyPeer(SslVerifyMode.CA);
    assertLocks(locker(trusting(known), uri));
  }

  @Test
  void aClientThatShowsItsCertificateIsServed() {
    assertLocks(locker(showing(known), demanding.uri()));
  }

  @Test
  void aClientWithoutACertificateIsRefused() {
    assertRefusedAtOnce(locker(trusting(known), demanding.uri()), "certificate_required");
  }

  @Test
  void aClientWithACertificateOfAnotherAuthorityIsRefused() {
    assertRefusedAtOnce(locker(showing(others), demanding.uri()), "unknown_ca");
  }

  @Test
  void aClientThatDoesNotSpeakTlsIsRefused() {
    ReactiveLocker plain = locker(trusting(known), RedisURI.create("127.0.0.1", server.port()));

    assertThat(trouble(plain, OPTIONS.waitAtMost(Duration.ofSeconds(1))).reason())
        .isEqualTo(Reason.UNAVAILABLE);
  }

  @Test
  void aConnectionThatWasCutIsOpenedAnew() {
    try (FaultProxy proxy = FaultProxy.before(demanding)) {
      ReactiveLocker locker = locker(showing(known), "rediss://127.0.0.1:" + proxy.port());
      Lock lock = locker.acquire(KEY, OPTIONS).block(LIMIT);

      proxy.cut();

      await().ignoreExceptions().until(() -> lock.ttl().block(LIMIT).compareTo(LIMIT) <= 0);
      assertThat(lock.release().block(LIMIT)).isTrue();
      assertLocks(locker);
      assertThat(proxy.accepted()).isGreaterThan(1);
    }
  }
}
