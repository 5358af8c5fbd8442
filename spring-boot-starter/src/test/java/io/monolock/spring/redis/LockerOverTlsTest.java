// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.monolock.LockStoreException;
import io.monolock.ReactiveLocker;
import io.monolock.spring.MonolockAutoConfiguration;
import io.monolock.test.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.test.StepVerifier;

/** Locks over TLS, to a server whose certificate only an SSL bundle knows. */
class TlsTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String SECRET = "changeit";

  @TempDir static Path folder;

  private static RedisServer server;
  private static int port;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  MonolockAutoConfiguration.class,
                  SslAutoConfiguration.class,
                  DataRedisAutoConfiguration.class))
          .withPropertyValues(
              "spring.ssl.bundle.pem.redis.truststore.certificate=file:"
                  + folder.resolve("cert.pem"));

  @BeforeAll
  static void startServer() throws Exception {
    writeCertificate();
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    server =
        RedisServer.builder()
            .config("tls-port", String.valueOf(port))
            .config("tls-cert-file", folder.resolve("cert.pem").toString())
            .config("tls-key-file", folder.resolve("key.pem").toString())
            .config("tls-ca-cert-file", folder.resolve("cert.pem").toString())
            .config("tls-auth-clients", "no")
            .start();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  /** Java makes the certificate, which Redis wants as text. */
  private static void writeCertificate() throws Exception {
    Path file = folder.resolve("store.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "redis",
                "-keyalg",
                "RSA",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                file.toString(),
                "-storepass",
                SECRET)
            .inheritIO()
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, SECRET.toCharArray());
    }
    writePem("cert.pem", "CERTIFICATE", store.getCertificate("redis").getEncoded());
    writePem("key.pem", "PRIVATE KEY", store.getKey("redis", SECRET.toCharArray()).getEncoded());
  }

  private static void writePem(String file, String type, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    Files.writeString(
        folder.resolve(file),
        "-----BEGIN " + type + "-----\n" + text + "\n-----END " + type + "-----\n");
  }

  private void locksWith(String key, String... properties) {
    runner
        .withPropertyValues(properties)
        .run(
            context -> {
              context.getBean(ReactiveLocker.class).acquire(key, LIMIT).block(LIMIT);
              assertThat(server.commandAsLong("EXISTS", key)).isEqualTo(1);
            });
  }

  @Test
  void theBundleOfSpringDataIsThatOfLocks() {
    locksWith(
        "of:spring:data",
        "spring.data.redis.host=127.0.0.1",
        "spring.data.redis.port=" + port,
        "spring.data.redis.ssl.bundle=redis");
  }

  @Test
  void theBundleOfConnectionDetailsIsThatOfLocks() {
    locksWith(
        "of:details",
        "spring.data.redis.client-type=jedis",
        "spring.data.redis.host=127.0.0.1",
        "spring.data.redis.port=" + port,
        "spring.data.redis.ssl.bundle=redis");
  }

  @Test
  void locksMayHaveABundleOfTheirOwn() {
    locksWith(
        "of:its:own",
        "monolock.redis.url=redis://127.0.0.1:" + port,
        "monolock.redis.ssl.bundle=redis");
  }

  @Test
  void aServerThatNobodyVouchesForGetsNoLocks() {
    runner
        .withPropertyValues(
            "monolock.redis.url=rediss://127.0.0.1:" + port, "monolock.wait-at-most=0s")
        .run(
            context ->
                StepVerifier.create(
                        context.getBean(ReactiveLocker.class).acquire("untrusted", LIMIT))
                    .expectError(LockStoreException.class)
                    .verify(LIMIT));
  }
}
