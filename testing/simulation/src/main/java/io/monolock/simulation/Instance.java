// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.ReactiveLocker;
import io.monolock.engine.LockerSnapshot;
import io.monolock.simulation.world.Link;
import io.monolock.simulation.world.SimulatedProcess;
import java.util.List;

/**
 * One running process with its locker. After a crash another one takes its place.
 *
 * @param number the place
 * @param links to each server
 */
public record Instance(
    int number,
    SimulatedProcess process,
    ReactiveLocker locker,
    LockerSnapshot snapshot,
    List<Link> links,
    State state) {

  /** What changes. */
  public static final class State {
    private boolean closing;

    /** Nothing new is begun here. */
    public void close() {
      closing = true;
    }
  }

  /** Whether it was told to close. */
  public boolean isClosing() {
    return state.closing;
  }

  /** The longest time that a message usually takes. */
  public long usualDelay() {
    return links.stream().mapToLong(Link::usual).max().orElse(0);
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  @Override
  public int hashCode() {
    return number;
  }

  @Override
  public String toString() {
    return process.toString();
  }
}
