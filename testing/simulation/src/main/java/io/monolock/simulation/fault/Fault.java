// SPDX-License-Identifier: Apache-2.0
package io.monolock.simulation.fault;

import io.monolock.simulation.Chance;
import io.monolock.simulation.Fleet;
import io.monolock.simulation.Instance;
import io.monolock.simulation.check.Sometimes.State;
import io.monolock.simulation.world.Command;
import io.monolock.simulation.world.Link;
import io.monolock.simulation.world.Server;
import java.util.List;

/**
 * What may go wrong. Each happens once, heals by itself, and chooses from its own seed whom it
 * meets.
 */
public enum Fault {
  /** A link loses both connections. */
  CUT {
    @Override
    public void apply(Fleet fleet, Chance random) {
      link(fleet, random).cut();
    }
  },

  /** A link loses one of its connections. */
  CUT_ONE_CONNECTION {
    @Override
    public void apply(Fleet fleet, Chance random) {
      link(fleet, random).cut(random.oneIn(2));
    }
  },

  /** A link is cut right before or after a command is carried out. */
  CUT_AT_COMMAND {
    @Override
    public void apply(Fleet fleet, Chance random) {
      Link link = link(fleet, random);
      ambush(fleet, random, link::cut);
    }
  },

  /** Requests, answers or both are held up on a link. */
  MUTE {
    @Override
    public void apply(Fleet fleet, Chance random) {
      mute(link(fleet, random), random);
    }
  },

  /** A link is muted right before or after a command is carried out. */
  MUTE_AT_COMMAND {
    @Override
    public void apply(Fleet fleet, Chance random) {
      Link link = link(fleet, random);
      ambush(fleet, random, () -> mute(link, random));
    }
  },

  /** A link cannot be opened for a while. */
  REFUSE {
    @Override
    public void apply(Fleet fleet, Chance random) {
      link(fleet, random).refuse(random.duration(5 * MILLI, 3_000 * MILLI));
    }
  },

  /** A link is slow for a while. */
  SLOW {
    @Override
    public void apply(Fleet fleet, Chance random) {
      link(fleet, random).slowDown(random.between(3, 30), random.duration(MILLI, 2_000 * MILLI));
    }
  },

  /** A server is killed, and comes back with nothing. */
  RESTART_EMPTY {
    @Override
    public void apply(Fleet fleet, Chance random) {
      fleet.sometimes().reached(State.FORGOTTEN);
      server(fleet, random).restart(random.duration(MILLI, 500 * MILLI), true);
    }
  },

  /** A server is killed, and comes back with all that it had. */
  RESTART_KEPT {
    @Override
    public void apply(Fleet fleet, Chance random) {
      server(fleet, random).restart(random.duration(MILLI, 500 * MILLI), false);
    }
  },

  /** A server loses everything between two commands. */
  FLUSH_AT_COMMAND {
    @Override
    public void apply(Fleet fleet, Chance random) {
      Server server = server(fleet, random);
      Command.Kind kind = random.pick(List.of(Command.Kind.values()));
      server.ambush(kind, random.between(1, 4), random.oneIn(2), server::flush);
    }
  },

  /** Another server takes over, which lacks the last writes. */
  FAIL_OVER {
    @Override
    public void apply(Fleet fleet, Chance random) {
      fleet.sometimes().reached(State.FORGOTTEN);
      server(fleet, random)
          .failOver(random.duration(MILLI, 200 * MILLI), random.duration(MILLI, 300 * MILLI));
    }
  },

  /** The time of day of a server jumps. */
  CLOCK_STEP {
    @Override
    public void apply(Fleet fleet, Chance random) {
      long step = random.duration(MILLI, 5_000 * MILLI);
      server(fleet, random).stepClock(random.oneIn(2) ? step : -step);
    }
  },

  /** A server refuses commands for a while. */
  TROUBLE {
    @Override
    public void apply(Fleet fleet, Chance random) {
      server(fleet, random).trouble(trouble(random), random.duration(MILLI, 2_000 * MILLI));
    }
  },

  /** A server refuses one command. */
  REFUSE_COMMAND {
    @Override
    public void apply(Fleet fleet, Chance random) {
      Server server = server(fleet, random);
      Server.Trouble trouble = trouble(random);
      Command.Kind kind = random.pick(List.of(Command.Kind.values()));
      server.ambush(kind, random.between(1, 4), true, () -> server.trouble(trouble, 1));
    }
  },

  /** A process stands still for a while. */
  PAUSE {
    @Override
    public void apply(Fleet fleet, Chance random) {
      fleet.sometimes().reached(State.PAUSED);
      fleet.anyInstance(random).process().pause(random.duration(MILLI, 3_000 * MILLI));
    }
  },

  /** A process ends without notice. */
  CRASH {
    @Override
    public void apply(Fleet fleet, Chance random) {
      Instance instance = fleet.anyInstance(random);
      if (!instance.process().isDead()) {
        fleet.crash(instance);
      }
    }
  },

  /** The threads for signals of a process take no tasks for a while. */
  FULL_SCHEDULER {
    @Override
    public void apply(Fleet fleet, Chance random) {
      fleet.sometimes().reached(State.SCHEDULER_FULL);
      fleet.anyInstance(random).process().fillUp(random.duration(MILLI, 300 * MILLI));
    }
  },

  /** Clients of another kind take a key when it is free, and give it back. */
  FOREIGN_CLIENT {
    @Override
    public void apply(Fleet fleet, Chance random) {
      poll(fleet, random, random.between(3, 40));
    }

    private void poll(Fleet fleet, Chance random, int times) {
      String key = random.pick(fleet.keys());
      for (Server server : fleet.servers()) {
        boolean forEver = random.oneIn(8);
        long hold = random.duration(MILLI, 300 * MILLI);
        if (server.setIfAbsent(key, "foreign", forEver ? 0 : 1 + 2 * hold / MILLI)) {
          var unused = fleet.world().after(hold, () -> server.deleteIf(key, "foreign"));
        }
      }
      if (times > 0) {
        var unused =
            fleet
                .world()
                .after(random.duration(MILLI, 300 * MILLI), () -> poll(fleet, random, times - 1));
      }
    }
  };

  private static final long MILLI = 1_000_000;

  /** Lets it happen. */
  public abstract void apply(Fleet fleet, Chance random);

  private static Link link(Fleet fleet, Chance random) {
    return random.pick(fleet.anyInstance(random).links());
  }

  private static Server server(Fleet fleet, Chance random) {
    return random.pick(fleet.servers());
  }

  private static Server.Trouble trouble(Chance random) {
    return random.pick(List.of(Server.Trouble.values()));
  }

  private static void ambush(Fleet fleet, Chance random, Runnable action) {
    Command.Kind kind = random.pick(List.of(Command.Kind.values()));
    server(fleet, random).ambush(kind, random.between(1, 4), random.oneIn(2), action);
  }

  private static void mute(Link link, Chance random) {
    int direction = random.below(3);
    link.mute(random.duration(5 * MILLI, 4_000 * MILLI), direction != 0, direction != 1);
  }
}
