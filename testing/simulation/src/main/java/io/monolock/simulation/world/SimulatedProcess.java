// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import reactor.core.scheduler.Scheduler;

/**
 * One JVM with a monotonic clock of its own. While it is paused nothing runs in it, and then
 * everything that was due; once it is dead, nothing any more.
 */
public final class SimulatedProcess {

  private final World world;
  private final String name;
  private final double rate;
  private final long origin;
  private final List<Event> heldUp = new ArrayList<>();
  private final VirtualScheduler timer;
  private final VirtualScheduler publishOn;
  private long pausedUntil;
  private long fullUntil;
  private boolean dead;

  /**
   * A process that runs from now on.
   *
   * @param rate how many of its nanoseconds one true nanosecond has
   * @param longestHop how long at most a task waits for a thread of the scheduler for signals
   */
  public SimulatedProcess(
      World world, String name, double rate, long longestHop, SplittableRandom random) {
    this.world = world;
    this.name = name;
    this.rate = rate;
    this.origin = random.nextLong(1L << 50) - world.now();
    this.timer = new VirtualScheduler(this, () -> 0);
    this.publishOn =
        new VirtualScheduler(this, () -> longestHop == 0 ? 0 : random.nextLong(longestHop));
  }

  /** The world it is in. */
  public World world() {
    return world;
  }

  /** What its clock shows, in nanoseconds. */
  public long now() {
    return origin + (long) (world.now() * rate);
  }

  /** Its exact timer. */
  public Scheduler timer() {
    return timer;
  }

  /** Its threads for signals: tasks of one worker in order, others in any. */
  public Scheduler publishOn() {
    return publishOn;
  }

  /** For a while the threads for signals take no task. */
  public void fillUp(long duration) {
    fullUntil = world.now() + duration;
    publishOn.rejectUntil(fullUntil);
  }

  /** Runs a task after a time on its own clock. */
  public reactor.core.Disposable after(long delay, Runnable task) {
    return schedule(delay, task);
  }

  Event schedule(long delay, Runnable task) {
    long wait = delay <= 0 ? 0 : (long) Math.ceil(delay / rate) + 1;
    return world.at(world.now() + wait, this, task);
  }

  /** Something reaches it from outside at a true time. */
  void arriveAt(long time, Runnable task) {
    world.at(time, this, task);
  }

  /** Stops it for a while; its clock goes on. */
  public void pause(long duration) {
    pausedUntil = Math.max(pausedUntil, world.now() + duration);
    var unused = world.after(duration, this::resume);
  }

  private void resume() {
    if (!isPaused()) {
      heldUp.forEach(world::resume);
      heldUp.clear();
    }
  }

  boolean admits(Event event) {
    if (dead) {
      return false;
    }
    if (isPaused()) {
      heldUp.add(event);
      return false;
    }
    return true;
  }

  /** Since when it has run without a pause, and has threads for signals. */
  public long awakeSince() {
    return Math.max(pausedUntil, fullUntil);
  }

  /** Whether nothing runs in it now. */
  public boolean isPaused() {
    return world.now() < pausedUntil;
  }

  /** Ends it without notice. */
  public void kill() {
    dead = true;
  }

  /** Whether it was killed. */
  public boolean isDead() {
    return dead;
  }

  @Override
  public String toString() {
    return name;
  }
}
