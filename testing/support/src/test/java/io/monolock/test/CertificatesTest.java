// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.Socket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class CertificatesTest {

  @Test
  void aServerWithTlsTakesCommandsAsAnyOther() {
    try (RedisServer server = RedisServer.builder().mutualTls().start()) {
      assertThat(server.uri()).isEqualTo("rediss://127.0.0.1:" + server.port());
      assertThat(server.command("SET", "key", "value")).isEqualTo("OK");
      server.restart();
      assertThat(server.command("GET", "key")).isNull();
    }
  }

  @Test
  void aServerWithTlsIsOfAnyVersion() {
    try (RedisServer server = RedisServer.builder().version("6.2").tls().start()) {
      assertThat(server.command("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void otherCertificatesAreNotTrusted() {
    Certificates others = Certificates.create();
    assertThat(others.authority()).isNotEqualTo(Certificates.ofServers().authority());
    try (RedisServer server = RedisServer.builder().tls().start()) {
      assertThatThrownBy(() -> handshake(others, server)).hasMessageContaining("PKIX path");
    }
  }

  private static void handshake(Certificates known, RedisServer server) throws IOException {
    try (Socket socket = known.sockets().createSocket(server.host(), server.port())) {
      socket.getOutputStream().write('\n');
    }
  }

  @Test
  void keysAreInFilesOfTheirOwn() {
    assertThat(Certificates.ofServers().client()).content().startsWith("-----BEGIN CERTIFICATE--");
    assertThat(Certificates.ofServers().clientKey())
        .content()
        .startsWith("-----BEGIN PRIVATE KEY-----");
  }
}
