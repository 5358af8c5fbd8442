// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.check.Handle;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import reactor.core.Disposable;

/** Does one operation after the other in one process; goes on to the next if one takes long. */
final class Caller {

  private static final long LONG = 1_000_000_000;

  /**
   * One operation.
   *
   * @param seed what all its choices are drawn from
   * @param pause before it, in nanoseconds
   */
  record Step(Operation operation, long seed, long pause) {}

  private final Fleet fleet;
  private final int place;
  private final List<Step> steps;
  private final List<Disposable> open = new ArrayList<>();
  private final Set<Handle> held = new LinkedHashSet<>();
  private int next;
  private boolean finished;

  /**
   * A caller that has done nothing yet.
   *
   * @param place in which process
   */
  Caller(Fleet fleet, int place, List<Step> steps) {
    this.fleet = fleet;
    this.place = place;
    this.steps = steps;
  }

  /** Where it is. */
  int place() {
    return place;
  }

  /** Goes on with the next step; also after its process was replaced. */
  void goOn() {
    if (next < steps.size() && !fleet.isOver()) {
      Step step = steps.get(next++);
      Instance instance = fleet.instance(place);
      var unused = instance.process().after(step.pause(), () -> run(step, instance));
    }
  }

  private void run(Step step, Instance instance) {
    if (fleet.isOver() || instance.isClosing()) {
      return;
    }
    boolean[] gone = new boolean[1];
    Runnable whenDone =
        () -> {
          if (!gone[0]) {
            gone[0] = true;
            goOn();
          }
        };
    Turn turn = new Turn(fleet, this, instance, new Chance(step.seed()), whenDone);
    turn.later(LONG, whenDone);
    step.operation().run(turn);
  }

  void opened(Disposable subscription) {
    if (finished) {
      subscription.dispose();
    } else {
      open.add(subscription);
    }
  }

  void holds(Handle handle) {
    held.add(handle);
  }

  void gaveBack(Handle handle) {
    held.remove(handle);
  }

  /** Comes to an end with everything. */
  void finish() {
    finished = true;
    List.copyOf(open).forEach(Disposable::dispose);
    List.copyOf(held).forEach(fleet::giveBack);
    held.clear();
  }
}
