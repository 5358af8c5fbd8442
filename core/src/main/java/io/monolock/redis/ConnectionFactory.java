// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionStage;

/** Opens connections to the server that takes the writes at the moment. */
@FunctionalInterface
interface ConnectionFactory {

  /** Starts to open a connection; does not block. */
  CompletionStage<StatefulRedisConnection<String, String>> open();

  /** Called when a connection of this factory led to a replica, which refuses writes. */
  default void ledToReplica() {}

  /** The topology, as {@link io.monolock.store.StoreHealth} names it. */
  default String topology() {
    return "standalone";
  }
}
