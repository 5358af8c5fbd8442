// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.CompletionStage;

/** Opens connections to the server that takes the writes, whichever that is at the moment. */
@FunctionalInterface
interface ConnectionFactory {

  /** Starts to open a connection, and does not block. */
  CompletionStage<StatefulRedisConnection<String, String>> open();

  /** Told that a connection it has opened leads to a replica, which refuses to write. */
  default void ledToReplica() {}

  /** What it chooses from, for those who watch over a store. */
  default String topology() {
    return "standalone";
  }
}
