// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import io.monolock.memory.InMemoryLockStore;
import io.monolock.store.LockStore;
import io.monolock.store.LockStoreContract;
import java.time.Duration;
import java.util.List;

/** The contract of a store, over three stores in memory. */
class QuorumOfMemoryTest implements LockStoreContract {

  private final QuorumLockStore store =
      QuorumLockStore.create(
          List.of(
              InMemoryLockStore.create(), InMemoryLockStore.create(), InMemoryLockStore.create()),
          Duration.ofDays(365));

  QuorumOfMemoryTest() {
    store.declareNew().block();
  }

  @Override
  public LockStore store() {
    return store;
  }
}
