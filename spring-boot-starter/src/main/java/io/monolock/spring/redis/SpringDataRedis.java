// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.monolock.spring.redis.RedisAccess.Deployment;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConverters;

/** Where the application has its Redis, as Spring Data knows it. */
final class SpringDataRedis {

  private SpringDataRedis() {}

  static RedisAccess access(LettuceConnectionFactory factory) {
    if (factory.getSocketConfiguration() != null) {
      throw RedisAccess.unsupported("the LettuceConnectionFactory is for a Unix socket");
    }
    LettuceClientConfiguration client = factory.getClientConfiguration();
    RedisClusterConfiguration cluster = factory.getClusterConfiguration();
    RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
    Deployment deployment = cluster == null ? Deployment.SINGLE_PRIMARY : Deployment.CLUSTER;
    List<RedisURI> uris;
    if (cluster != null) {
      uris = uris(cluster);
      uris.forEach(uri -> apply(client, cluster, uri));
    } else if (sentinels != null) {
      RedisURI uri = LettuceConverters.sentinelConfigurationToRedisURI(sentinels);
      uris = List.of(uri);
      Stream.concat(uris.stream(), uri.getSentinels().stream())
          .forEach(any -> applyToConnection(client, any));
      applyCredentials(client, sentinels, uri);
    } else {
      RedisStandaloneConfiguration server = factory.getStandaloneConfiguration();
      uris = List.of(uri(server));
      uris.forEach(uri -> apply(client, server, uri));
    }
    return new RedisAccess(
        deployment,
        uris,
        client.getClientOptions().orElseGet(ClientOptions::create),
        client.getClientResources().orElse(null));
  }

  private static RedisURI uri(RedisStandaloneConfiguration server) {
    RedisURI uri = RedisURI.create(server.getHostName(), server.getPort());
    uri.setDatabase(server.getDatabase());
    server
        .getPassword()
        .toOptional()
        .ifPresent(password -> Uris.authenticate(uri, server.getUsername(), new String(password)));
    return uri;
  }

  private static List<RedisURI> uris(RedisClusterConfiguration cluster) {
    return cluster.getClusterNodes().stream()
        .map(
            node -> {
              RedisURI uri =
                  RedisURI.create(String.valueOf(node.getHost()), node.getRequiredPort());
              cluster
                  .getPassword()
                  .toOptional()
                  .ifPresent(
                      password ->
                          Uris.authenticate(uri, cluster.getUsername(), new String(password)));
              return uri;
            })
        .toList();
  }

  private static void apply(
      LettuceClientConfiguration client, RedisConfiguration server, RedisURI uri) {
    applyToConnection(client, uri);
    applyCredentials(client, server, uri);
  }

  private static void applyToConnection(LettuceClientConfiguration client, RedisURI uri) {
    uri.setSsl(client.isUseSsl());
    uri.setVerifyPeer(client.getVerifyMode());
    uri.setStartTls(client.isStartTls());
    uri.setTimeout(client.getCommandTimeout());
    client.getClientName().ifPresent(uri::setClientName);
  }

  private static void applyCredentials(
      LettuceClientConfiguration client, RedisConfiguration server, RedisURI uri) {
    client
        .getRedisCredentialsProviderFactory()
        .ifPresent(
            credentials ->
                uri.setCredentialsProvider(credentials.createCredentialsProvider(server)));
  }
}
