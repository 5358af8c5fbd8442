// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A test's own connection to a server, opened at its first command and after each restart.
 *
 * <p>It has a user of its own, so that a test may restrict the default user.
 */
final class ControlConnection {

  /** The name of a user that may run all commands, with any password. */
  static final String USER = "monolock-control";

  private static final String NOT_SENT = "Currently not connected. Commands are rejected.";
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private static final Lazy<ClientResources> RESOURCES =
      new Lazy<>(ControlConnection::createResources);
  private static final Lazy<RedisClient> CLIENT =
      new Lazy<>(() -> createClient(ClientOptions.builder()));
  private static final Lazy<RedisClient> TLS_CLIENT =
      new Lazy<>(() -> createClient(ClientOptions.builder().sslOptions(sslOptions())));

  private final Lazy<RedisClient> client;
  private final RedisURI uri;
  private @Nullable StatefulRedisConnection<String, String> connection;

  ControlConnection(String host, int port, Transport transport) {
    this.client = transport.isTls() ? TLS_CLIENT : CLIENT;
    this.uri =
        RedisURI.builder()
            .withHost(host)
            .withPort(port)
            .withAuthentication(USER, USER)
            .withTimeout(TIMEOUT)
            .withSsl(transport.isTls())
            .build();
  }

  /** Few threads serve all servers of the JVM. */
  private static ClientResources createResources() {
    return DefaultClientResources.builder()
        .ioThreadPoolSize(2)
        .computationThreadPoolSize(2)
        .build();
  }

  private static RedisClient createClient(ClientOptions.Builder options) {
    RedisClient client = RedisClient.create(RESOURCES.get());
    client.setOptions(options.autoReconnect(false).protocolVersion(ProtocolVersion.RESP2).build());
    return client;
  }

  private static SslOptions sslOptions() {
    Certificates certificates = Certificates.ofServers();
    return SslOptions.builder()
        .jdkSslProvider()
        .trustManager(certificates.authority().toFile())
        .keyManager(certificates.client().toFile(), certificates.clientKey().toFile(), new char[0])
        .build();
  }

  @Nullable Object command(List<String> words) {
    CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8);
    words.subList(1, words.size()).forEach(arguments::add);
    Keyword keyword = new Keyword(words.get(0));
    try {
      return open().sync().dispatch(keyword, new Reply(), arguments);
    } catch (RedisException e) {
      if (!NOT_SENT.equals(e.getMessage())) {
        throw e;
      }
      // a connection that ends while it is opened
      close();
      return open().sync().dispatch(keyword, new Reply(), arguments);
    }
  }

  synchronized void close() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }

  private synchronized StatefulRedisConnection<String, String> open() {
    StatefulRedisConnection<String, String> current = connection;
    if (current == null || !current.isOpen()) {
      close();
      current = client.get().connect(StringCodec.UTF8, uri);
      connection = current;
    }
    return current;
  }

  private record Keyword(String word) implements ProtocolKeyword {

    @Override
    public byte[] getBytes() {
      return word.getBytes(StandardCharsets.UTF_8);
    }

    // Lettuce 6 calls it, Lettuce 7 deprecates it
    @Override
    @SuppressWarnings("deprecation")
    public String name() {
      return word;
    }

    @Override
    public String toString() {
      return word;
    }
  }
}
