// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.ReactiveLocker;
import io.monolock.engine.LockerSnapshot;
import io.monolock.simulation.world.Link;
import io.monolock.simulation.world.SimulatedProcess;
import java.util.List;

/** One running process with its locker. After a crash another one takes its place. */
public final class Instance {

  private final int place;
  private final SimulatedProcess process;
  private final ReactiveLocker locker;
  private final LockerSnapshot snapshot;
  private final List<Link> links;
  private boolean closing;

  Instance(
      int place,
      SimulatedProcess process,
      ReactiveLocker locker,
      LockerSnapshot snapshot,
      List<Link> links) {
    this.place = place;
    this.process = process;
    this.locker = locker;
    this.snapshot = snapshot;
    this.links = List.copyOf(links);
  }

  int place() {
    return place;
  }

  /** The process. */
  public SimulatedProcess process() {
    return process;
  }

  ReactiveLocker locker() {
    return locker;
  }

  /** What its locker still has. */
  public LockerSnapshot snapshot() {
    return snapshot;
  }

  List<Link> links() {
    return links;
  }

  /** Nothing new is begun here. */
  public void close() {
    closing = true;
  }

  /** Whether it was told to close. */
  public boolean isClosing() {
    return closing;
  }

  /** The longest time that a message usually takes. */
  public long usualDelay() {
    return links.stream().mapToLong(Link::usual).max().orElse(0);
  }

  /** To how many servers something is on its way. */
  public int commandsUnderWay() {
    return (int) links.stream().filter(link -> !link.isIdle()).count();
  }

  @Override
  public String toString() {
    return process.toString();
  }
}
