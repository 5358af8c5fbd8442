// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.List;

/** The servers of a topology: how clients reach them, how they fail, and what they may lose. */
interface ChaosServers extends AutoCloseable {

  /**
   * Starts them.
   *
   * @param settings which, and for how many clients
   */
  static ChaosServers start(ChaosSettings settings) {
    return switch (settings.topology()) {
      case STANDALONE -> new StandaloneServer(settings.clients());
      case SENTINEL -> new SentinelServers();
      case CLUSTER -> new ClusterServers();
      case QUORUM -> new QuorumServers(settings.clients(), settings.wipedVotes());
    };
  }

  /**
   * What {@link ClientStore} needs to know to reach them.
   *
   * @param client which client asks, 1 for the first
   */
  String addressFor(int client);

  /** All that traffic goes through. */
  List<NamedProxy> links();

  /** What can befall the servers themselves. */
  List<Fault> faults();

  /** Waits until all are well. Links must be, and the nemesis must have ended. */
  void settle();

  /** The keys that there are now. */
  List<String> keys();

  /** When writes may have been lost so far, as the topology does not promise to keep them. */
  List<LossyFailOver> losses();

  @Override
  void close();
}
