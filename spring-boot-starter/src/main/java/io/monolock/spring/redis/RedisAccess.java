// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How to reach Redis.
 *
 * @param deployment how the servers share the keys
 * @param uris the server, the one URI that names all Sentinels, several servers of which one is the
 *     primary, or some of the servers of a cluster
 * @param options how to connect, with what TLS needs
 * @param resources threads to share, null to have own ones; their owner shuts them down
 */
record RedisAccess(
    Deployment deployment,
    List<RedisURI> uris,
    ClientOptions options,
    @Nullable ClientResources resources) {

  enum Deployment {
    /** One server at a time takes the writes. */
    SINGLE_PRIMARY,
    /** Each of several servers takes those of a part of the keys. */
    CLUSTER
  }

  static RedisAccess toOne(
      RedisURI uri, ClientOptions options, @Nullable ClientResources resources) {
    return new RedisAccess(Deployment.SINGLE_PRIMARY, List.of(uri), options, resources);
  }

  /** Says that locks cannot be kept there. */
  static IllegalStateException unsupported(String what) {
    return new IllegalStateException(
        "Locks need Redis servers that are reached by host and port, but "
            + what
            + ". Name a server with monolock.redis.url, or define a LockStore bean.");
  }
}
