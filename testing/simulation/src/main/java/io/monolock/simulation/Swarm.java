// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.caller.Body;
import io.monolock.simulation.caller.Ending;
import io.monolock.simulation.caller.Operation;
import io.monolock.simulation.caller.Use;
import io.monolock.simulation.caller.Wish;
import io.monolock.simulation.fault.Fault;
import io.monolock.simulation.world.Link;
import java.time.Duration;
import java.util.List;

/**
 * What one fleet is like: which of all that could be there is there. A run that had everything
 * would never reach some states.
 *
 * @param servers 1, or the members of a quorum
 * @param instances how many processes
 * @param pushes whether servers push what happens to keys
 * @param transfers whether stores hand keys over in one step
 * @param observed whether lockers have observers, which throw at times
 * @param observedSneakily whether they throw checked exceptions, too
 * @param isNew whether servers are first asked in this run
 * @param knowsLargestTtl whether the quorum is told the largest ttl
 * @param longestHop how long a signal waits for a thread at most, in nanoseconds
 */
public record Swarm(
    int servers,
    int instances,
    int keys,
    boolean pushes,
    boolean transfers,
    boolean observed,
    boolean observedSneakily,
    boolean isNew,
    boolean knowsLargestTtl,
    boolean tightTimeouts,
    long longestHop,
    Link.Speed speed,
    Duration commandTimeout,
    int handOvers,
    Duration handOverTime,
    Duration stepBack,
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

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }

  /** Draws one. */
  static Swarm draw(Chance random) {
    boolean quorum = random.oneIn(3);
    boolean tight = random.oneIn(4);
    Link.Speed speed = speed(random);
    long roundTrip = 2 * speed.most() / MILLI;
    return new Swarm(
        !quorum ? 1 : random.oneIn(8) ? 5 : 3,
        random.between(2, 5),
        random.pick(List.of(1, 1, 2, 3, 4)),
        !random.oneIn(3),
        !random.oneIn(4),
        random.oneIn(2),
        random.oneIn(10),
        random.oneIn(2),
        random.oneIn(3),
        tight,
        random.pick(List.of(0L, 50 * MICRO, 2 * MILLI)),
        speed,
        tight ? millis(4 + random.below(60)) : millis(300 + 8 * roundTrip + random.below(2_000)),
        random.pick(List.of(0, 1, 4, 32)),
        random.pick(List.of(millis(0), millis(20), millis(100))),
        random.pick(List.of(millis(0), millis(3), millis(3), millis(20))),
        random.subset(Operation.class, 60),
        random.subset(Use.class, 60),
        random.subset(Body.class, 40),
        withWaiting(random.subset(Ending.class, 40)),
        random.subset(Wish.Feature.class, 25),
        random.subset(Fault.class, 30),
        random.some(millis(20), millis(100), millis(400), millis(2_000), millis(30_000)),
        random.some(millis(5), millis(100), millis(1_000), millis(10_000)),
        random.some(millis(60), millis(300), millis(1_000), millis(20_000)),
        random.some(Duration.ZERO, millis(2), millis(30), millis(300), millis(3_000)));
  }

  private static Link.Speed speed(Chance random) {
    long most = random.pick(List.of(300 * MICRO, 300 * MICRO, 2 * MILLI, 20 * MILLI, 80 * MILLI));
    return new Link.Speed(most / 10, most, random.oneIn(3) ? 5 : 0, random.oneIn(8));
  }

  private static List<Ending> withWaiting(List<Ending> endings) {
    List<Ending> all = new java.util.ArrayList<>(endings);
    all.add(Ending.WAITS);
    return List.copyOf(all);
  }

  /** Which kind of quorum it is, in words. */
  String quorum() {
    if (servers == 1) {
      return "";
    }
    String age = isNew ? " in a new quorum" : " in an old quorum";
    return age + (knowsLargestTtl ? "" : " that is not told its largest ttl");
  }

  /** The longest of the ttl's; what is held for at least twice as long counts, too. */
  Duration largestTtl() {
    Duration largest = ttls.stream().max(Duration::compareTo).orElseThrow();
    return features.contains(Wish.Feature.HOLD_AT_LEAST) ? largest.multipliedBy(2) : largest;
  }
}
