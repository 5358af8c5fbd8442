// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.scenario;

import io.monolock.benchmarks.contender.Contenders;
import java.util.List;

/** The client processes of one contender. */
record Team(Contenders contender, List<Client> clients) {

  /** The one client there is, or the first. */
  Client client() {
    return clients.get(0);
  }
}
