// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.world;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * True time, and the order in which everything happens: one queue, one thread, no sleeping. Events
 * of the same instant happen in the order in which they were planned.
 */
public final class World {

  /** A time that never comes. */
  public static final long NEVER = Long.MAX_VALUE;

  private static final Gate OPEN = () -> 0;

  /** On which thread of a real process the present event would run. */
  public enum Role {
    NONE,
    CALLER,
    SIGNALS,
    TIMER,
    EVENT_LOOP
  }

  /** Holds events up. */
  interface Gate {
    /** Until when: now or earlier for not at all, {@link #NEVER} to drop them. */
    long opensAt();
  }

  private final PriorityQueue<Event> later = new PriorityQueue<>();
  private final ArrayDeque<Event> atOnce = new ArrayDeque<>();
  private final List<Line> story = new ArrayList<>();
  private final boolean isTold;
  private final Consumer<Throwable> whenThrown;
  private Role role = Role.NONE;
  private boolean stopped;
  private long now;
  private long planned;
  private long happened;
  private long foreground;

  private record Line(long time, String subject, String text) {
    boolean concerns(String word) {
      return subject.contains(word) || text.contains(word);
    }

    @Override
    public String toString() {
      return "%11.3f ms  %-14s %s".formatted(time / 1e6, subject, text);
    }
  }

  /**
   * A world at time zero, in which nothing is planned.
   *
   * @param isTold whether to write down what happens
   * @param whenThrown receives what an event throws
   */
  public World(boolean isTold, Consumer<Throwable> whenThrown) {
    this.isTold = isTold;
    this.whenThrown = whenThrown;
  }

  /** Nanoseconds since the beginning. */
  public long now() {
    return now;
  }

  /** How many events have happened. */
  public long happened() {
    return happened;
  }

  /** On which thread the present event runs. */
  public Role role() {
    return role;
  }

  /** Writes a line of the story, if it is told. */
  public void tell(Object subject, Supplier<String> text) {
    if (isTold) {
      story.add(new Line(now, subject.toString(), text.get()));
    }
  }

  /** The lines of the story that contain the word; all for an empty one. */
  public List<String> story(String word) {
    return story.stream().filter(line -> line.concerns(word)).map(Line::toString).toList();
  }

  /** Nothing more happens. */
  public void stop() {
    stopped = true;
  }

  /** Plans an event that happens whatever becomes of the processes. */
  public Disposable after(long delay, Runnable action) {
    return plan(now + delay, OPEN, Role.NONE, action);
  }

  /** Plans something that happens only if anything else does. */
  public void inBackground(long delay, Runnable action) {
    later.add(new Event(now + delay, OPEN, Role.NONE, false, action));
  }

  Event plan(long time, Gate gate, Role thread, Runnable action) {
    Event event = new Event(Math.max(time, now), gate, thread, true, action);
    foreground++;
    if (event.time == now) {
      atOnce.add(event);
    } else {
      later.add(event);
    }
    return event;
  }

  /** Lets everything happen that is planned up to this time, or until nothing is planned. */
  public void runUntil(long end) {
    Event event;
    while (!stopped && foreground > 0 && (event = next(end)) != null) {
      now = event.time;
      event.happen();
    }
    now = stopped ? now : Math.max(now, end);
  }

  private @Nullable Event next(long end) {
    Event event = later.peek();
    boolean isLater = event != null && event.time > now;
    if (event == null || (isLater && !atOnce.isEmpty())) {
      return atOnce.poll();
    }
    return event.time <= end ? later.poll() : null;
  }

  /** Something that is planned to happen, once, unless it is disposed before. */
  final class Event implements Comparable<Event>, Disposable {

    private long time;
    private long sequence = planned++;
    private final Gate gate;
    private final Role thread;
    private final boolean isForeground;
    private @Nullable Runnable action;

    private Event(long time, Gate gate, Role thread, boolean isForeground, Runnable action) {
      this.time = time;
      this.gate = gate;
      this.thread = thread;
      this.isForeground = isForeground;
      this.action = action;
    }

    private void happen() {
      Runnable present = action;
      long opens = present == null ? NEVER : gate.opensAt();
      if (present != null && opens > now && opens != NEVER) {
        time = opens;
        sequence = planned++;
        later.add(this);
        return;
      }
      foreground -= isForeground ? 1 : 0;
      if (present != null && opens != NEVER) {
        action = null;
        happened++;
        role = thread;
        try {
          present.run();
        } catch (Throwable e) {
          whenThrown.accept(e);
        }
        role = Role.NONE;
      }
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
}
