// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.check.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Leaves callers, faults and steps out of a plan as long as the same promise is broken in the same
 * way: first many at once, then fewer.
 */
final class Shrinker {

  private static final int MOST_RUNS = 600;

  private final String signature;
  private final Set<String> tolerated;
  private final Plant plant;
  private Plan plan;
  private int runs;

  Shrinker(Plan plan, Violation violation, Set<String> tolerated, Plant plant) {
    this.plan = plan;
    this.signature = violation.signature();
    this.tolerated = tolerated;
    this.plant = plant;
  }

  /** The smallest plan found that fails in the same way. */
  Plan shrink() {
    int before;
    do {
      before = size();
      shrinkWork();
      shrinkTroubles();
      shrinkSteps();
    } while (size() < before && runs < MOST_RUNS);
    return plan;
  }

  private int size() {
    return plan.work().size() + plan.troubles().size() + plan.steps();
  }

  private void shrinkWork() {
    leaveOut(
        plan.work().size(),
        (from, to) -> plan.with(without(plan.work(), from, to), plan.troubles()));
  }

  private void shrinkTroubles() {
    leaveOut(
        plan.troubles().size(),
        (from, to) -> plan.with(plan.work(), without(plan.troubles(), from, to)));
  }

  private void shrinkSteps() {
    for (int i = 0; i < plan.work().size(); i++) {
      int index = i;
      leaveOut(
          plan.work().get(i).steps().size(),
          (from, to) -> {
            List<Plan.Work> work = new ArrayList<>(plan.work());
            Plan.Work one = work.get(index);
            List<Caller.Step> fewer = without(one.steps(), from, to);
            work.set(index, new Plan.Work(one.place(), one.startsAt(), fewer));
            return plan.with(work, plan.troubles());
          });
    }
  }

  private interface Cut {
    Plan without(int from, int to);
  }

  /** Tries to do without each piece of the list, from halves to single elements. */
  private void leaveOut(int size, Cut cut) {
    int left = size;
    for (int piece = Math.max(1, left / 2); piece >= 1; piece /= 2) {
      for (int from = 0; from < left; ) {
        int to = Math.min(left, from + piece);
        if (failsAlike(cut.without(from, to))) {
          left -= to - from;
        } else {
          from = to;
        }
      }
    }
  }

  private boolean failsAlike(Plan smaller) {
    if (runs >= MOST_RUNS) {
      return false;
    }
    runs++;
    Violation violation = Fleet.run(smaller, false, tolerated, plant).violation();
    if (violation == null || !violation.signature().equals(signature)) {
      return false;
    }
    plan = smaller;
    return true;
  }

  private static <T> List<T> without(List<T> all, int from, int to) {
    List<T> fewer = new ArrayList<>(all.subList(0, from));
    fewer.addAll(all.subList(to, all.size()));
    return fewer;
  }
}
