// SPDX-License-Identifier: Apache-2.0
package io.monolock.spring.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a Redis server.
 *
 * @param uri the server
 * @param options how to connect to it, with what its TLS needs
 * @param resources threads to share, null to have own ones; whoever gave them shuts them down
 */
record RedisAccess(RedisURI uri, ClientOptions options, @Nullable ClientResources resources) {

  /** What only a single server has so far. */
  static IllegalStateException notStandalone(String what) {
    return new IllegalStateException(
        "Locks need a single Redis server, but "
            + what
            + ". Name a server with monolock.redis.url, or define a LockStore bean.");
  }
}
