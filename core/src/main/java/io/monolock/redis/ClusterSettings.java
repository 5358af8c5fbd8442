// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.monolock.store.StoreFailure;
import io.monolock.store.StoreProblem.Reason;
import java.lang.reflect.Method;

/**
 * What a cluster client was told of all servers together: user, TLS, database, name.
 *
 * <p>Lettuce takes it from the first URI that it was given, whatever server it connects to. It
 * shows that URI to subclasses only, and the view of the cluster that it shows to all has none of
 * it.
 */
final class ClusterSettings {

  private ClusterSettings() {}

  /** How the client connects to a server. */
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
