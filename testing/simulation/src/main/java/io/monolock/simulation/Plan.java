// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * All that a seed decides before a run begins: what the fleet is like, what its callers are to do,
 * and what is to go wrong. Each part draws from a seed of its own, so that it stays the same when
 * others are left out.
 */
record Plan(long seed, Swarm swarm, List<Work> work, List<Trouble> troubles) {

  /** How long callers begin something, in nanoseconds. */
  static final long DURATION = 10_000_000_000L;

  /** What one caller is to do, and in which process. */
  record Work(int place, long startsAt, List<Caller.Step> steps) {}

  /** A fault, when it happens, and the seed of what it chooses. */
  record Trouble(Fault fault, long time, long seed) {}

  static Plan of(long seed) {
    Chance random = new Chance(seed);
    Swarm swarm = Swarm.draw(random);
    List<Work> work = new ArrayList<>();
    int most = swarm.servers() > 1 ? 20 : random.oneIn(8) ? 50 : 24;
    int callers = random.between(5, most);
    for (int i = 0; i < callers; i++) {
      work.add(work(swarm, random));
    }
    List<Trouble> troubles = new ArrayList<>();
    int number = random.oneIn(8) ? 0 : random.between(2, 14);
    for (int i = 0; i < number; i++) {
      troubles.add(
          new Trouble(
              random.pick(swarm.faults()), random.duration(1, DURATION * 8 / 10), random.seed()));
    }
    return new Plan(seed, swarm, List.copyOf(work), List.copyOf(troubles));
  }

  private static Work work(Swarm swarm, Chance random) {
    List<Caller.Step> steps = new ArrayList<>();
    int number = random.between(4, 22);
    long spacing = DURATION / number;
    for (int i = 0; i < number; i++) {
      long pause = random.oneIn(3) ? 0 : random.duration(1_000, spacing);
      steps.add(new Caller.Step(operation(swarm, random), random.seed(), pause));
    }
    long start = random.oneIn(2) ? 0 : random.duration(1_000, DURATION / 2);
    return new Work(random.below(swarm.places()), start, List.copyOf(steps));
  }

  private static Operation operation(Swarm swarm, Chance random) {
    int weights = swarm.operations().stream().mapToInt(Operation::weight).sum();
    int drawn = random.below(weights);
    for (Operation operation : swarm.operations()) {
      drawn -= operation.weight();
      if (drawn < 0) {
        return operation;
      }
    }
    throw new IllegalStateException("weights do not add up");
  }

  Plan with(List<Work> lessWork, List<Trouble> lessTrouble) {
    return new Plan(seed, swarm, List.copyOf(lessWork), List.copyOf(lessTrouble));
  }

  int steps() {
    return work.stream().mapToInt(one -> one.steps.size()).sum();
  }
}
