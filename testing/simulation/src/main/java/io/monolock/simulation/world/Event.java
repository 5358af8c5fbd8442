// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** Something that is planned to happen, once, unless it is disposed before. */
final class Event implements Comparable<Event>, Disposable {

  private long time;
  private long sequence;
  private final @Nullable SimulatedProcess process;
  private @Nullable Runnable action;

  Event(long time, long sequence, @Nullable SimulatedProcess process, Runnable action) {
    this.time = time;
    this.sequence = sequence;
    this.process = process;
    this.action = action;
  }

  long time() {
    return time;
  }

  Event at(long newTime, long newSequence) {
    time = newTime;
    sequence = newSequence;
    return this;
  }

  /** False if it did not happen now. */
  boolean happen() {
    Runnable present = action;
    if (present == null || (process != null && !process.admits(this))) {
      return false;
    }
    action = null;
    present.run();
    return true;
  }

  @Override
  public void dispose() {
    action = null;
  }

  @Override
  public boolean isDisposed() {
    return action == null;
  }

  @Override
  public int compareTo(Event other) {
    int byTime = Long.compare(time, other.time);
    return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
  }
}
