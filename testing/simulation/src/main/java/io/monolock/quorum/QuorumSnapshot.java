// SPDX-License-Identifier: Apache-2.0
package io.monolock.quorum;

import java.util.random.RandomGenerator;

/** What a quorum still has, for the simulation, which looks at nothing else inside. */
public final class QuorumSnapshot {

  private QuorumSnapshot() {}

  /** Lets a quorum draw its delays from the given random numbers. */
  public static QuorumLockStore.Builder draw(
      QuorumLockStore.Builder builder, RandomGenerator random) {
    return builder.random(random);
  }

  /** Of how many tokens something may be left. */
  public static int tokens(QuorumLockStore store) {
    return store.tokens();
  }
}
