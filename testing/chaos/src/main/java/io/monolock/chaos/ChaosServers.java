// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.List;

/**
 * The servers of a topology: how clients connect to them, how they fail, and which writes they may
 * lose.
 */
interface ChaosServers extends AutoCloseable {

  /**
   * Starts them.
   *
   * @param settings the topology and the number of clients
   */
  static ChaosServers start(ChaosSettings settings) {
    return switch (settings.topology()) {
      case STANDALONE -> new StandaloneServer(settings.clients());
      case REPLICATED -> new ReplicatedServer(settings.clients());
      case SENTINEL -> SentinelServers.start();
      case CLUSTER -> ClusterServers.start();
      case QUORUM -> new QuorumServers(settings.clients(), settings.wipedVotes());
    };
  }

  /**
   * The address for {@link ClientStore}.
   *
   * @param client the number of the client, 1 for the first
   */
  String addressFor(int client);

  /** The proxies of all traffic. */
  List<NamedProxy> proxies();

  /** The faults of the servers themselves. */
  List<Fault> faults();

  /**
   * Waits until all servers work. Proxies must be without faults, and the injector must have ended.
   */
  default void settle() {}

  /** The present keys. */
  List<String> keys();

  /** The fail-overs so far that may have lost writes. */
  default List<LossyFailOver> lossyFailOvers() {
    return List.of();
  }

  @Override
  void close();
}
