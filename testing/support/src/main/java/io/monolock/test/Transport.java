// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.List;
import javax.net.SocketFactory;

/** How clients, replicas and other servers of a cluster connect to a server. */
enum Transport {
  PLAIN("redis"),
  TLS("rediss"),
  /** Clients have to show a certificate, too. */
  MUTUAL_TLS("rediss");

  private final String scheme;

  Transport(String scheme) {
    this.scheme = scheme;
  }

  boolean isTls() {
    return this != PLAIN;
  }

  String uri(String host, int port) {
    return scheme + "://" + host + ":" + port;
  }

  SocketFactory sockets() {
    return isTls() ? Certificates.ofServers().sockets() : SocketFactory.getDefault();
  }

  /** The lines of {@code redis.conf} that let a server listen on a port. */
  List<String> settings(int port) {
    if (!isTls()) {
      return List.of("port " + port);
    }
    Certificates certificates = Certificates.ofServers();
    return List.of(
        "port 0",
        "tls-port " + port,
        "tls-ca-cert-file \"" + certificates.authority() + "\"",
        "tls-cert-file \"" + certificates.server() + "\"",
        "tls-key-file \"" + certificates.serverKey() + "\"",
        "tls-auth-clients " + (this == MUTUAL_TLS ? "yes" : "no"),
        "tls-replication yes",
        "tls-cluster yes");
  }
}
