// SPDX-License-Identifier: Apache-2.0
package io.monolock.redis;

import io.monolock.store.LockKeys;
import io.monolock.store.StoreHealth;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** Knows which server has which keys. */
interface Topology {

  /**
   * The way of a call.
   *
   * @param key one of the keys, which all are on one server
   * @param waiting whether it is an attempt of somebody who waits, which is tracked if possible
   */
  Route route(String key, boolean waiting);

  /** The connections to the server that has a key which are used by one call at a time. */
  ConnectionPool exclusive(String key);

  /** The way of a call over one of the {@link #exclusive(String)} connections of a key. */
  Route exclusive(String key, int number);

  /** Opens the connection for those who wait for a key, if necessary; tells whether it is open. */
  boolean openWait(String key);

  /** Throws {@link IllegalArgumentException} when no server can have all of these keys. */
  void check(LockKeys keys, boolean fenced);

  /** The key that holds the fencing numbers of a lock key, on the same server. */
  String fence(String key);

  /** Whether all answer. */
  Mono<StoreHealth> health();

  /** Gives up connections that may be dead. */
  void overdue(Duration timeout);

  Mono<Void> close();
}
