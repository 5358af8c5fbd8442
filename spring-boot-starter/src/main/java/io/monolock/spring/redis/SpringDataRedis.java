// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Where the application has its Redis, as Spring Data and Spring Boot know it. */
final class SpringDataRedis {

  private SpringDataRedis() {}

  static RedisAccess access(LettuceConnectionFactory factory) {
    if (factory.isClusterAware()
        || factory.isRedisSentinelAware()
        || factory.getSocketConfiguration() != null) {
      throw RedisAccess.notStandalone(
          "the LettuceConnectionFactory is for a cluster, for Sentinels or for a Unix socket");
    }
    LettuceClientConfiguration client = factory.getClientConfiguration();
    RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
    RedisURI.Builder uri =
        RedisURI.builder()
            .withHost(server.getHostName())
            .withPort(server.getPort())
            .withDatabase(server.getDatabase())
            .withSsl(client.isUseSsl())
            .withVerifyPeer(client.getVerifyMode())
            .withStartTls(client.isStartTls())
            .withTimeout(client.getCommandTimeout());
    authenticate(uri, server.getUsername(), server.getPassword().map(String::new).orElse(null));
    client
        .getRedisCredentialsProviderFactory()
        .ifPresent(
            credentials -> uri.withAuthentication(credentials.createCredentialsProvider(server)));
    client.getClientName().ifPresent(uri::withClientName);
    return new RedisAccess(
        uri.build(),
        client.getClientOptions().orElseGet(ClientOptions::create),
        client.getClientResources().orElse(null));
  }

  static RedisAccess access(
      DataRedisConnectionDetails details, @Nullable ClientResources resources) {
    DataRedisConnectionDetails.Standalone server = details.getStandalone();
    if (server == null
        || details.getCluster() != null
        || details.getSentinel() != null
        || details.getMasterReplica() != null) {
      throw RedisAccess.notStandalone(
          "spring.data.redis names a cluster, Sentinels or several servers");
    }
    SslBundle bundle = details.getSslBundle();
    RedisURI.Builder uri =
        RedisURI.builder()
            .withHost(server.getHost())
            .withPort(server.getPort())
            .withDatabase(server.getDatabase())
            .withSsl(bundle != null);
    authenticate(uri, details.getUsername(), details.getPassword());
    ClientOptions.Builder options = ClientOptions.builder();
    if (bundle != null) {
      options.sslOptions(Tls.options(bundle));
    }
    return new RedisAccess(uri.build(), options.build(), resources);
  }

  private static void authenticate(
      RedisURI.Builder uri, @Nullable String username, @Nullable String password) {
    if (username != null && !username.isEmpty()) {
      uri.withAuthentication(username, password == null ? "" : password);
    } else if (password != null && !password.isEmpty()) {
      uri.withPassword(password.toCharArray());
    }
  }
}
