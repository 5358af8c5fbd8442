// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * True time, and the order in which everything happens: one queue, one thread, no sleeping. Events
 * of the same instant happen in the order in which they were planned.
 */
public final class World {

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Story story;
  private BooleanSupplier stopping = () -> false;
  private Consumer<Throwable> whenThrown = e -> {};
  private boolean stopped;
  private long now;
  private long planned;
  private long happened;

  /**
   * A world at time zero, in which nothing is planned.
   *
   * @param story where to write down what happens
   */
  public World(Story story) {
    this.story = story;
  }

  /** The story of what happened so far. */
  public Story story() {
    return story;
  }

  /** Nanoseconds since the beginning. */
  public long now() {
    return now;
  }

  /** How many events have happened. */
  public long happened() {
    return happened;
  }

  /** When nothing more is to happen, asked after each event. */
  public void stopWhen(BooleanSupplier condition) {
    stopping = condition;
  }

  /** What to do with what an event throws. */
  public void whenThrown(Consumer<Throwable> action) {
    whenThrown = action;
  }

  /** Plans something that happens whatever becomes of the processes. */
  public Disposable after(long delay, Runnable action) {
    return at(now + delay, null, action);
  }

  /**
   * Plans an event.
   *
   * @param process in which it happens: not while it is paused, and never once it is dead
   */
  Event at(long time, @Nullable SimulatedProcess process, Runnable action) {
    Event event = new Event(Math.max(time, now), planned++, process, action);
    events.add(event);
    return event;
  }

  /** Puts an event that was held up at the present instant. */
  void resume(Event event) {
    events.add(event.at(now, planned++));
  }

  /** Lets everything happen that is planned up to this time. */
  public void runUntil(long end) {
    Event event;
    while (!stopped && (event = events.peek()) != null && event.time() <= end) {
      events.remove();
      now = event.time();
      if (happen(event)) {
        happened++;
        stopped = stopping.getAsBoolean();
      }
    }
    now = Math.max(now, end);
  }

  private boolean happen(Event event) {
    try {
      return event.happen();
    } catch (Throwable e) {
      whenThrown.accept(e);
      return true;
    }
  }

  /** Lets one event happen; false if none is planned. */
  public boolean step() {
    Event event = events.peek();
    if (event == null) {
      return false;
    }
    runUntil(event.time());
    return true;
  }
}
