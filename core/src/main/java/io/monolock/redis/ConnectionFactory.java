// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Opens connections to the server that takes the writes at the moment. */
@FunctionalInterface
interface ConnectionFactory {

  /** Starts to open a connection; does not block. */
  CompletionStage<StatefulRedisConnection<String, String>> open();

  /** How long that may take, until the connection is ready for calls. */
  default Duration timeout() {
    return RedisURI.DEFAULT_TIMEOUT_DURATION;
  }

  /** The timeout of a URI; the default one if it has none. */
  static Duration timeout(RedisURI uri) {
    Duration timeout = uri.getTimeout();
    return timeout.isZero() || timeout.isNegative() ? RedisURI.DEFAULT_TIMEOUT_DURATION : timeout;
  }

  /** Called when a connection of this factory led to a replica, which refuses writes. */
  default void ledToReplica() {}

  /** The topology, as {@link io.monolock.store.StoreHealth} names it. */
  default String topology() {
    return "standalone";
  }
}
