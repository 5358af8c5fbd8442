// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation;

import io.monolock.simulation.check.Sometimes.State;
import io.monolock.simulation.world.Command.Kind;
import io.monolock.simulation.world.Link;
import io.monolock.simulation.world.Server;
import io.monolock.simulation.world.World;
import java.util.List;
import java.util.function.BiConsumer;

/** What may go wrong. Each happens once, and chooses from its own seed where. */
enum Fault {
  /** A link loses both connections. */
  CUT((fleet, random) -> link(fleet, random).cut()),

  /** A link loses one of its connections. */
  CUT_ONE_CONNECTION((fleet, random) -> link(fleet, random).cut(random.oneIn(2))),

  /** A link is cut right before or after a command is carried out. */
  CUT_AT_COMMAND(
      (fleet, random) -> {
        Link link = link(fleet, random);
        ambush(fleet, random, link::cut);
      }),

  /** Requests, answers or both are held up on a link. */
  MUTE((fleet, random) -> mute(fleet, link(fleet, random), random)),

  /** A link is muted right before or after a command is carried out. */
  MUTE_AT_COMMAND(
      (fleet, random) -> {
        Link link = link(fleet, random);
        ambush(fleet, random, () -> mute(fleet, link, random));
      }),

  /** A link cannot be opened for a while. */
  REFUSE((fleet, random) -> link(fleet, random).refuse(until(fleet, random.time(5, 3_000)))),

  /** A link is slow for a while. */
  SLOW(
      (fleet, random) ->
          link(fleet, random).slowDown(random.between(3, 30), random.time(1, 2_000))),

  /** One way, or both, between a process and a server never work again. */
  MUTE_FOR_EVER(
      (fleet, random) -> {
        fleet.sometimes().reached(State.NEVER_HEALED);
        int direction = random.below(3);
        link(fleet, random).mute(World.NEVER, direction != 0, direction != 1);
      }),

  /** A server never comes back. */
  DOWN_FOR_EVER(
      (fleet, random) -> {
        fleet.sometimes().reached(State.NEVER_HEALED);
        server(fleet, random).goDown(World.NEVER);
      }),

  /** A process stands still, and its host forgets it. */
  PAUSED_FOR_EVER(
      (fleet, random) -> {
        fleet.sometimes().reached(State.NEVER_HEALED);
        fleet.anyInstance(random).process().pause(World.NEVER - fleet.world().now());
      }),

  /** A server is killed, and comes back with nothing. */
  RESTART_EMPTY(
      (fleet, random) -> {
        fleet.sometimes().reached(State.FORGOTTEN);
        server(fleet, random).restart(random.time(1, 500), true);
      }),

  /** A server is killed, and comes back with all that it had. */
  RESTART_KEPT((fleet, random) -> server(fleet, random).restart(random.time(1, 500), false)),

  /** A server loses its scripts. */
  SCRIPTS_FLUSHED((fleet, random) -> server(fleet, random).forgetScripts()),

  /** A server loses everything between two commands. */
  FLUSH_AT_COMMAND(
      (fleet, random) -> {
        Server server = server(fleet, random);
        server.ambush(kind(random), random.between(1, 40), random.oneIn(2), server::flush);
      }),

  /** Another server takes over, which lacks the last writes. */
  FAIL_OVER(
      (fleet, random) -> {
        fleet.sometimes().reached(State.FORGOTTEN);
        server(fleet, random).failOver(random.time(1, 200), random.time(1, 300));
      }),

  /** The time of day of a server jumps; not of a member, which is a documented limit. */
  CLOCK_STEP(
      (fleet, random) -> {
        if (fleet.servers().size() == 1) {
          long step = random.time(1, 5_000);
          server(fleet, random).stepClock(random.oneIn(2) ? step : -step);
        }
      }),

  /** A server refuses commands for a while. */
  TROUBLE((fleet, random) -> server(fleet, random).trouble(trouble(random), random.time(1, 2_000))),

  /** A server refuses one command. */
  REFUSE_COMMAND(
      (fleet, random) -> {
        Server server = server(fleet, random);
        Server.Trouble trouble = trouble(random);
        server.ambush(kind(random), random.between(1, 4), true, () -> server.trouble(trouble, 1));
      }),

  /** A process stands still for a while. */
  PAUSE(
      (fleet, random) -> {
        fleet.sometimes().reached(State.PAUSED);
        fleet.anyInstance(random).process().pause(random.time(1, 3_000));
      }),

  /** The host of a process is suspended for a while, and its clock stands still. */
  SUSPEND(
      (fleet, random) -> {
        fleet.sometimes().reached(State.SUSPENDED);
        fleet.anyInstance(random).process().suspend(random.time(10, 3_000));
      }),

  /** A process ends without notice. */
  CRASH((fleet, random) -> fleet.crash(fleet.anyInstance(random))),

  /** The threads for signals of a process take no tasks for a while. */
  FULL_SCHEDULER(
      (fleet, random) -> {
        fleet.sometimes().reached(State.SCHEDULER_FULL);
        fleet.anyInstance(random).process().fillUp(random.time(1, 300));
      }),

  /** Clients of another kind take a key when it is free, and give it back. */
  FOREIGN_CLIENT((fleet, random) -> poll(fleet, random, random.between(3, 40)));

  @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
  private final BiConsumer<Fleet, Chance> effect;

  Fault(BiConsumer<Fleet, Chance> effect) {
    this.effect = effect;
  }

  /** Lets it happen. */
  void apply(Fleet fleet, Chance random) {
    effect.accept(fleet, random);
  }

  private static long until(Fleet fleet, long duration) {
    return fleet.world().now() + duration;
  }

  private static Link link(Fleet fleet, Chance random) {
    return random.pick(fleet.anyInstance(random).links());
  }

  private static Server server(Fleet fleet, Chance random) {
    return random.pick(fleet.servers());
  }

  private static Server.Trouble trouble(Chance random) {
    return random.pick(List.of(Server.Trouble.values()));
  }

  private static Kind kind(Chance random) {
    return random.pick(List.of(Kind.values()));
  }

  private static void ambush(Fleet fleet, Chance random, Runnable action) {
    server(fleet, random).ambush(kind(random), random.between(1, 4), random.oneIn(2), action);
  }

  private static void mute(Fleet fleet, Link link, Chance random) {
    int direction = random.below(3);
    link.mute(until(fleet, random.time(5, 4_000)), direction != 0, direction != 1);
  }

  private static void poll(Fleet fleet, Chance random, int times) {
    String key = random.pick(fleet.keys());
    for (Server server : fleet.servers()) {
      boolean forEver = random.oneIn(8);
      long hold = random.time(1, 300);
      if (server.setIfAbsent(key, "foreign", forEver ? 0 : 1 + hold / 500_000)) {
        var unused = fleet.world().after(hold, () -> server.deleteIf(key, "foreign"));
      }
    }
    if (times > 0) {
      var unused = fleet.world().after(random.time(1, 300), () -> poll(fleet, random, times - 1));
    }
  }
}
