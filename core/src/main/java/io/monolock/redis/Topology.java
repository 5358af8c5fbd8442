// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreHealth;
import java.time.Duration;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** The servers of a store, and the connections to the one that has a key. */
interface Topology {

  /**
   * The route of a call.
   *
   * @param key one of the keys, which are all on one server
   * @param waiting whether it is a waiter's attempt, which goes over the tracked connection if that
   *     is open
   */
  Route route(String key, boolean waiting);

  /** The route of a call whose grant waits for replicas. */
  Route grants(String key);

  /** Whether the tracked connection to the server of a key is open; starts to open it if not. */
  boolean openWait(String key);

  /**
   * Throws {@link IllegalArgumentException} when no server can have all of these keys.
   *
   * @param name the key as it is in Redis
   */
  void check(LockKeys keys, UnaryOperator<String> name, boolean fenced);

  /** The fence key of a lock key, on the same server. */
  String fence(String key);

  /**
   * Opens the connections that calls need first.
   *
   * @param replicated whether grants wait for replicas
   */
  Mono<Void> warmUp(boolean replicated);

  /** That all servers answer, or a failure. */
  Mono<StoreHealth> health();

  /** Gives up connections that may be dead, as a call got no answer for that long. */
  void overdue(Duration timeout);

  Mono<Void> close();
}
