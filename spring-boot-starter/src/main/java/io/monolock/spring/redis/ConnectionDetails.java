// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.monolock.spring.redis.RedisAccess.Deployment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Cluster;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.MasterReplica;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Node;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Sentinel;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.boot.ssl.SslBundle;

/** Where the application has its Redis, as Spring Boot knows it. */
final class ConnectionDetails {

  private final DataRedisConnectionDetails details;

  private ConnectionDetails(DataRedisConnectionDetails details) {
    this.details = details;
  }

  static RedisAccess access(
      DataRedisConnectionDetails details, @Nullable ClientResources resources) {
    return new ConnectionDetails(details).access(resources);
  }

  private RedisAccess access(@Nullable ClientResources resources) {
    Cluster cluster = details.getCluster();
    MasterReplica servers = details.getMasterReplica();
    if (cluster != null) {
      return access(Deployment.CLUSTER, uris(cluster.getNodes()), resources);
    }
    return access(
        Deployment.SINGLE_PRIMARY,
        servers == null ? List.of(one()) : uris(servers.getNodes()),
        resources);
  }

  private RedisAccess access(
      Deployment deployment, List<RedisURI> uris, @Nullable ClientResources resources) {
    return new RedisAccess(deployment, uris, options(), resources);
  }

  private List<RedisURI> uris(List<Node> nodes) {
    return nodes.stream().map(this::uri).toList();
  }

  private ClientOptions options() {
    ClientOptions.Builder options = ClientOptions.builder();
    SslBundle bundle = details.getSslBundle();
    if (bundle != null) {
      options.sslOptions(Tls.options(bundle));
    }
    return options.build();
  }

  private RedisURI one() {
    Sentinel sentinel = details.getSentinel();
    if (sentinel != null) {
      return uri(sentinel);
    }
    Standalone server = details.getStandalone();
    if (server == null) {
      throw RedisAccess.unsupported("spring.data.redis names none of them");
    }
    RedisURI uri = uri(server.getHost(), server.getPort());
    uri.setDatabase(server.getDatabase());
    return uri;
  }

  private RedisURI uri(Node node) {
    return uri(node.host(), node.port());
  }

  private RedisURI uri(String host, int port) {
    RedisURI uri = RedisURI.create(host, port);
    uri.setSsl(details.getSslBundle() != null);
    Uris.authenticate(uri, details.getUsername(), details.getPassword());
    return uri;
  }

  private RedisURI uri(Sentinel sentinel) {
    RedisURI.Builder uri = RedisURI.builder().withSentinelMasterId(sentinel.getMaster());
    for (Node node : sentinel.getNodes()) {
      RedisURI one = RedisURI.create(node.host(), node.port());
      one.setSsl(details.getSslBundle() != null);
      Uris.authenticate(one, sentinel.getUsername(), sentinel.getPassword());
      uri.withSentinel(one);
    }
    RedisURI all = uri.build();
    all.setDatabase(sentinel.getDatabase());
    all.setSsl(details.getSslBundle() != null);
    Uris.authenticate(all, details.getUsername(), details.getPassword());
    return all;
  }
}
