// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.world.Link;
import io.monolock.simulation.world.SimulatedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What one fleet is like: which of all that could be there is there. A run that had everything
 * would never reach some states.
 *
 * @param servers 1, or the members of a quorum
 * @param places how many processes
 * @param observed whether lockers have observers, which throw at times
 * @param observedSneakily whether they throw checked exceptions, too
 * @param isNew whether the quorum begins with this run
 * @param isDeclared whether a new one is declared, or else has to wait
 * @param tightTimeouts whether commands may be given up though nothing is wrong
 * @param longestHop how long a signal waits for a thread at most, in nanoseconds
 * @param settings of the lockers, from which each process draws its own
 */
record Swarm(
    int servers,
    int places,
    int keys,
    SimulatedStore.Abilities abilities,
    boolean observed,
    boolean observedSneakily,
    boolean isNew,
    boolean isDeclared,
    boolean tightTimeouts,
    long longestHop,
    Link.Speed speed,
    List<Settings> settings,
    List<Operation> operations,
    List<Use> uses,
    List<Body> bodies,
    List<Ending> endings,
    List<Wish.Feature> features,
    List<Fault> faults,
    List<Duration> ttls,
    List<Duration> waits,
    List<Duration> pauses,
    List<Duration> holds) {

  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;

  /** Of one locker. */
  record Settings(Duration commandTimeout, Duration turn) {}

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  static Swarm draw(Chance random) {
    boolean quorum = random.oneIn(3);
    boolean tight = random.oneIn(4);
    Link.Speed speed = speed(random);
    return new Swarm(
        !quorum ? 1 : random.oneIn(8) ? 5 : 3,
        random.between(2, 5),
        random.pick(List.of(1, 1, 2, 3, 4)),
        new SimulatedStore.Abilities(
            !random.oneIn(3), !random.oneIn(4), !quorum && random.oneIn(6), random.oneIn(4)),
        random.oneIn(2),
        random.oneIn(10),
        random.oneIn(2),
        !random.oneIn(3),
        tight,
        random.pick(List.of(0L, 50 * MICRO, 2 * MILLI)),
        speed,
        settings(tight, longestCommand(speed, quorum), random),
        random.subset(Operation.class, 60),
        random.subset(Use.class, 60),
        random.subset(Body.class, 40),
        withWaiting(random.subset(Ending.class, 40)),
        random.subset(Wish.Feature.class, 25),
        random.subset(Fault.class, 25),
        random.some(millis(20), millis(100), millis(400), millis(2_000), millis(30_000)),
        random.some(millis(5), millis(100), millis(1_000), millis(10_000)),
        random.some(millis(60), millis(300), millis(1_000), millis(20_000)),
        random.some(Duration.ZERO, millis(2), millis(30), millis(300), millis(3_000)));
  }

  /** A time within which a command is answered when nothing is wrong. */
  private static long longestCommand(Link.Speed speed, boolean quorum) {
    long roundTrip = 2 * speed.most() * speed.waitFactor() * (speed.spikes() > 0 ? 6 : 1);
    return Math.min(20_000, 300 + (quorum ? 20 : 8) * roundTrip / MILLI);
  }

  private static List<Settings> settings(boolean tight, long longest, Chance random) {
    List<Settings> settings = new ArrayList<>();
    for (int i = random.between(1, 2); i > 0; i--) {
      settings.add(
          new Settings(
              millis(tight ? 4 + random.below(60) : longest + random.below(2_000)),
              random.pick(List.of(millis(0), millis(5), millis(20), millis(100)))));
    }
    return List.copyOf(settings);
  }

  private static Link.Speed speed(Chance random) {
    long most = random.pick(List.of(300 * MICRO, 300 * MICRO, 2 * MILLI, 20 * MILLI, 80 * MILLI));
    int waitFactor = random.oneIn(4) ? random.between(2, 8) : 1;
    return new Link.Speed(most / 10, most, random.oneIn(3) ? 5 : 0, waitFactor, random.oneIn(8));
  }

  private static List<Ending> withWaiting(List<Ending> endings) {
    List<Ending> all = new ArrayList<>(endings);
    all.add(Ending.WAITS);
    return List.copyOf(all);
  }

  /** Which kind of store it is, in words; empty for one server without replicas. */
  String kind() {
    if (servers == 1) {
      return abilities.isReplicated() ? " with a replica" : "";
    }
    return isNew ? " in a new quorum" : " in an old quorum";
  }

  /** How long a lock may live at most. */
  Duration largestTtl() {
    Duration largest = ttls.stream().max(Duration::compareTo).orElseThrow();
    return features.contains(Wish.Feature.HOLD_AT_LEAST)
        ? largest.multipliedBy(Wish.LONGEST_HOLD)
        : largest;
  }
}
