// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.world.Server;
import io.monolock.store.LockStore;

/** A fault that is planted on purpose, to see that the checker finds it. */
enum Plant {
  /** None. */
  NONE;

  /** Plants it in a store. */
  LockStore in(LockStore store, Fleet fleet) {
    return store;
  }

  /** Plants it in a server. */
  void in(Server server) {}
}
