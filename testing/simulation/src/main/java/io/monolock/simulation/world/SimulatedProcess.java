// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import io.monolock.simulation.world.World.Role;
import java.util.SplittableRandom;
import reactor.core.Disposable;
import reactor.core.scheduler.Scheduler;

/**
 * One JVM with a monotonic clock of its own. While it is paused nothing runs in it, and then
 * everything that was due; once it is dead, nothing any more.
 */
public final class SimulatedProcess implements World.Gate {

  private final World world;
  private final String name;
  private final double rate;
  private final long origin;
  private final VirtualScheduler timer;
  private final VirtualScheduler signals;
  private long pausedUntil;
  private long troubledUntil;
  private long suspendedAt = World.NEVER;
  private long suspendedFor;
  private boolean wasSuspended;
  private boolean dead;

  /**
   * A process that runs from now on.
   *
   * @param rate how many of its nanoseconds one true nanosecond has
   * @param longestHop how long a task waits at most for a thread of the scheduler for signals
   */
  public SimulatedProcess(
      World world, String name, double rate, long longestHop, SplittableRandom random) {
    this.world = world;
    this.name = name;
    this.rate = rate;
    this.origin = random.nextLong(1L << 50);
    this.timer = new VirtualScheduler(this, Role.TIMER, 0, random.split());
    this.signals = new VirtualScheduler(this, Role.SIGNALS, longestHop, random.split());
  }

  /** The world it is in. */
  public World world() {
    return world;
  }

  /** What its clock shows, in nanoseconds. */
  public long now() {
    return origin + (long) ((Math.min(world.now(), suspendedAt) - suspendedFor) * rate);
  }

  /** Its exact timer. */
  public Scheduler timer() {
    return timer;
  }

  /** Its threads for signals. */
  public Scheduler publishOn() {
    return signals;
  }

  /** Runs something as a caller's own thread does, after a time on its clock. */
  public Disposable after(long delay, Runnable task) {
    return schedule(delay, this, Role.CALLER, task);
  }

  World.Event schedule(long delay, World.Gate gate, Role role, Runnable task) {
    long wait = delay <= 0 ? 0 : (long) Math.ceil(delay / rate) + 1;
    long now = world.now();
    return world.plan(wait > World.NEVER - now ? World.NEVER : now + wait, gate, role, task);
  }

  void arriveAt(long time, Runnable task) {
    world.plan(time, this, Role.EVENT_LOOP, task);
  }

  @Override
  public long opensAt() {
    return dead ? World.NEVER : pausedUntil;
  }

  /** Stops it for a while; its clock goes on. */
  public void pause(long duration) {
    pausedUntil = Math.max(pausedUntil, world.now() + duration);
  }

  /** Stops it for a while, and its clock, too, as when the host is suspended. */
  public void suspend(long duration) {
    if (suspendedAt == World.NEVER) {
      pause(duration);
      wasSuspended = true;
      suspendedAt = world.now();
      var unused = world.after(pausedUntil - world.now(), this::wakeUp);
    }
  }

  private void wakeUp() {
    suspendedFor += world.now() - suspendedAt;
    suspendedAt = World.NEVER;
  }

  /** For a while its threads for signals take no task. */
  public void fillUp(long duration) {
    troubledUntil = Math.max(troubledUntil, world.now() + duration);
    signals.rejectUntil(troubledUntil);
  }

  /** Keeps the present thread for signals busy for a while, if this is one. */
  public void block(long duration) {
    if (world.role() == Role.SIGNALS) {
      troubledUntil = Math.max(troubledUntil, world.now() + duration);
      signals.block(world.now() + duration);
    }
  }

  /** Whether it has run since then without a pause, and has had threads for signals. */
  public boolean isAwakeSince(long time) {
    return Math.max(pausedUntil, troubledUntil) <= time;
  }

  /** Whether its clock has stood still, so that its locks may have ended without its notice. */
  public boolean wasSuspended() {
    return wasSuspended;
  }

  /** Ends it without notice. */
  public void kill() {
    dead = true;
  }

  /** Whether it was killed, or stands still for ever. */
  public boolean isDead() {
    return dead || pausedUntil == World.NEVER;
  }

  @Override
  public String toString() {
    return name;
  }
}
