// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.StaticCredentialsProvider;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/**
 * The Redis server for locks, if it is not that of {@code spring.data.redis}.
 *
 * @param url The server, as in redis://user:password@host:6379/0, or rediss:// for TLS. Without it,
 *     the server of spring.data.redis is used, and none of the other properties counts.
 * @param username User name, which takes the password, too.
 * @param password Password; with the user name, if any, instead of what the URL says of both.
 * @param database Database, instead of that of the URL.
 * @param clientName Name of the connections, which CLIENT LIST shows.
 * @param connectTimeout How long the opening of a connection may take.
 * @param ssl Settings of TLS.
 */
@ConfigurationProperties("monolock.redis")
record LockRedisProperties(
    @Nullable String url,
    @Nullable String username,
    @Nullable String password,
    @Nullable Integer database,
    @Nullable String clientName,
    @DefaultValue("10s") Duration connectTimeout,
    @DefaultValue Ssl ssl) {

  /**
   * Settings of TLS.
   *
   * @param enabled Whether to use TLS. Unless set, with a bundle or a rediss:// URL.
   * @param bundle Name of the SSL bundle.
   */
  record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {}

  RedisAccess access(ObjectProvider<SslBundles> bundles) {
    if (connectTimeout.isNegative() || connectTimeout.isZero()) {
      throw new IllegalArgumentException(
          "monolock.redis.connect-timeout must be longer than zero, was " + connectTimeout);
    }
    RedisURI uri = uri();
    ClientOptions.Builder options =
        ClientOptions.builder()
            .socketOptions(SocketOptions.builder().connectTimeout(connectTimeout).build());
    if (ssl.bundle != null) {
      SslBundle bundle = bundles.getObject().getBundle(ssl.bundle);
      options.sslOptions(Tls.options(bundle));
    }
    return RedisAccess.toOne(uri, options.build(), null);
  }

  private RedisURI uri() {
    RedisURI uri = parsed();
    if (password != null) {
      uri.setCredentialsProvider(new StaticCredentialsProvider(username, password.toCharArray()));
    } else if (username != null) {
      throw new IllegalStateException(
          "monolock.redis.username needs monolock.redis.password, too; or put both into the URL");
    }
    if (database != null) {
      if (database < 0) {
        throw new IllegalArgumentException(
            "monolock.redis.database must be zero or more, was " + database);
      }
      uri.setDatabase(database);
    }
    if (clientName != null) {
      uri.setClientName(clientName);
    }
    if (ssl.enabled != null) {
      uri.setSsl(ssl.enabled);
    } else if (ssl.bundle != null) {
      uri.setSsl(true);
    }
    uri.setTimeout(connectTimeout);
    return uri;
  }

  /** Says nothing of the text that was not understood, as there may be a password in it. */
  private RedisURI parsed() {
    try {
      return RedisURI.create(String.valueOf(url));
    } catch (IllegalArgumentException e) {
      throw new IllegalStateException(
          "monolock.redis.url must be like redis://user:password@host:6379/0, but is not");
    }
  }

  @Override
  public String toString() {
    return "LockRedisProperties[url and credentials not shown]";
  }
}
