// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.SslOptions;
import org.springframework.boot.ssl.SslBundle;

/** Turns an SSL bundle of Spring Boot into options of Lettuce. */
final class Tls {

  private Tls() {}

  static SslOptions options(SslBundle bundle) {
    SslOptions.Builder options =
        SslOptions.builder()
            .keyManager(bundle.getManagers().getKeyManagerFactory())
            .trustManager(bundle.getManagers().getTrustManagerFactory());
    String[] ciphers = bundle.getOptions().getCiphers();
    if (ciphers != null) {
      options.cipherSuites(ciphers);
    }
    String[] protocols = bundle.getOptions().getEnabledProtocols();
    if (protocols != null) {
      options.protocols(protocols);
    }
    return options.build();
  }
}
