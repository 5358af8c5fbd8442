// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.time.Duration;
import java.util.List;

/** The servers that the clients use, and the keys that they lock. */
enum ChaosTopology {
  /** One server. */
  STANDALONE(Duration.ofMinutes(2)),
  /** A primary and a replica that must have each grant. */
  REPLICATED(Duration.ofMinutes(2)),
  /** A master with two replicas, watched by three sentinels. */
  SENTINEL(Duration.ofSeconds(10)),
  /** Three masters, each with a replica. */
  CLUSTER(Duration.ofSeconds(10)),
  /** Three independent servers. */
  QUORUM(Duration.ofSeconds(6));

  private final Duration longestTtl;

  ChaosTopology(Duration longestTtl) {
    this.longestTtl = longestTtl;
  }

  /**
   * Few keys, so that the workers contend. The keys of one list can be locked together, and have
   * one master.
   */
  List<List<String>> keys() {
    return this == CLUSTER ? Keys.OF_THREE_MASTERS : Keys.OF_ONE_SERVER;
  }

  /**
   * The longest ttl of a lock: so long that a key that was left behind still exists at the end of
   * the run. A server that has lost data may grant a lock twice until it has passed.
   */
  Duration longestTtl() {
    return longestTtl;
  }

  private static final class Keys {

    static final List<List<String>> OF_ONE_SERVER =
        List.of(List.of("chaos:a", "chaos:b", "chaos:c", "chaos:d"));

    /** The slots of a, b and c are in different thirds. */
    static final List<List<String>> OF_THREE_MASTERS =
        List.of(
            List.of("chaos:{a}1", "chaos:{a}2"),
            List.of("chaos:{b}1", "chaos:{b}2"),
            List.of("chaos:{c}1", "chaos:{c}2"));
  }
}
