// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.ReactiveLocker;
import java.util.random.RandomGenerator;

/** What a locker still has, for the simulation, which looks at nothing else inside. */
public final class LockerSnapshot {

  private final LockerContext context;

  /**
   * Of this locker, which draws from the given random numbers from now on.
   *
   * @param locker as the library builds it
   */
  public LockerSnapshot(ReactiveLocker locker, RandomGenerator random) {
    this.context = ((StoreLocker) locker).locker;
    context.drawFrom(random);
  }

  /** How many lines there are. */
  public int lines() {
    return context.lines.size();
  }

  /** How many leases are not settled yet. */
  public int leases() {
    return context.leases.size();
  }

  /** How many tasks lie in its timer. */
  public int tasks() {
    return context.wheel.size();
  }
}
