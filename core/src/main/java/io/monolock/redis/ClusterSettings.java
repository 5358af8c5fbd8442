// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.lang.reflect.Method;

/**
 * What a cluster client was configured with for all servers: user, TLS, database, name.
 *
 * <p>Lettuce takes these settings from the first of its URIs, whatever server it connects to. Only
 * subclasses can read that URI, and the public view of the cluster has none of the settings.
 */
final class ClusterSettings {

  private ClusterSettings() {}

  /** The URI with which the client would connect to a server. */
  static RedisURI uri(RedisClusterClient client, Address address) {
    return RedisURI.builder(first(client))
        .withHost(address.host())
        .withPort(address.port())
        .build();
  }

  private static RedisURI first(RedisClusterClient client) {
    try {
      Method first = RedisClusterClient.class.getDeclaredMethod("getFirstUri");
      first.setAccessible(true);
      return (RedisURI) first.invoke(client);
    } catch (ReflectiveOperationException | RuntimeException e) {
      throw new StoreFailure(
          Reason.MISUSE,
          false,
          "This version of Lettuce does not show how its cluster client connects (" + e + ")",
          e);
    }
  }
}
