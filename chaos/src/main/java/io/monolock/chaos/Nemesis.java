// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.ClientJvm;
import io.monolock.test.FaultProxy;
import io.monolock.test.RedisServer;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/** Makes the server, the links and the clients fail, one fault after the other or two at a time. */
final class Nemesis {

  private static final int ACCEPT_ATTEMPTS = 20;

  private final RedisServer server;
  private final List<FaultProxy> links;
  private final List<ClientJvm> clients;
  private final Random random;
  private final PrintWriter out;
  private final long start = System.nanoTime();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final PriorityQueue<Ending> endings =
      new PriorityQueue<>(Comparator.comparingLong(Ending::at));
  private final Deque<Action> ahead = new ArrayDeque<>();
  private boolean isServerAway;

  Nemesis(
      RedisServer server,
      List<FaultProxy> links,
      List<ClientJvm> clients,
      long seed,
      PrintWriter out) {
    this.server = server;
    this.links = links;
    this.clients = clients;
    this.random = new Random(seed);
    this.out = out;
  }

  private record Ending(long at, Runnable heal) {}

  /** What can happen. */
  private enum Action {
    KILL_SERVER,
    PAUSE_SERVER,
    FLUSH_SCRIPTS,
    CUT_LINK,
    CUT_ALL_LINKS,
    REFUSE_LINK,
    DELAY_REQUESTS,
    DELAY_REPLIES,
    DROP_REPLIES,
    DROP_REQUESTS,
    BLACK_HOLE,
    STOP_CLIENT
  }

  /** Does its work until it is told to end, and heals all that it has hurt. */
  void run(BooleanSupplier isOver) throws InterruptedException {
    while (!isOver.getAsBoolean()) {
      act();
      long next = System.nanoTime() + millis(150, 900).toNanos();
      while (!isOver.getAsBoolean() && System.nanoTime() - next < 0) {
        heal(System.nanoTime());
        Thread.sleep(5);
      }
    }
    heal(Long.MAX_VALUE);
    links.forEach(FaultProxy::reset);
    say("all faults end");
  }

  /** How often what was done. */
  Map<String, Integer> counts() {
    return counts;
  }

  private void heal(long now) {
    for (Ending next = endings.peek(); next != null && next.at() < now; next = endings.peek()) {
      endings.remove();
      next.heal().run();
    }
  }

  private void act() {
    Action action = nextAction();
    int number = random.nextInt(links.size());
    FaultProxy link = links.get(number);
    String ofClient = " of client " + (number + 1);
    Duration time = millis(50, 1_200);
    switch (action) {
      case KILL_SERVER -> {
        if (takeServer("kill the server, restart it", time)) {
          server.kill();
          endServerFault(time, server::restart);
        }
      }
      case PAUSE_SERVER -> {
        if (takeServer("pause the server", time)) {
          server.pause();
          endServerFault(time, server::resume);
        }
      }
      case FLUSH_SCRIPTS -> {
        if (!isServerAway) {
          count("flush scripts");
          say("flush scripts");
          var unused = server.command("SCRIPT", "FLUSH");
        }
      }
      case CUT_LINK -> {
        count("cut a link");
        say("cut the link" + ofClient);
        link.cut();
      }
      case CUT_ALL_LINKS -> {
        count("cut all links");
        say("cut all links");
        links.forEach(FaultProxy::cut);
      }
      case REFUSE_LINK -> {
        begin("cut a link, refuse", ofClient, time);
        link.refuse();
        link.cut();
        end(time, () -> accept(link, ACCEPT_ATTEMPTS));
      }
      case DELAY_REQUESTS -> {
        Duration delay = millis(10, 400);
        begin("delay requests", ofClient + " by " + delay.toMillis() + " ms", time);
        link.delayRequests(delay);
        end(time, () -> link.delayRequests(Duration.ZERO));
      }
      case DELAY_REPLIES -> {
        Duration delay = millis(10, 400);
        begin("delay replies", ofClient + " by " + delay.toMillis() + " ms", time);
        link.delayReplies(delay);
        end(time, () -> link.delayReplies(Duration.ZERO));
      }
      case DROP_REPLIES -> {
        begin("drop replies", ofClient, time);
        link.dropReplies(true);
        end(time, () -> link.dropReplies(false));
      }
      case DROP_REQUESTS -> {
        begin("drop requests", ofClient, time);
        link.dropRequests(true);
        end(time, () -> link.dropRequests(false));
      }
      case BLACK_HOLE -> {
        begin("swallow all traffic", ofClient, time);
        link.blackHole(true);
        end(time, () -> link.blackHole(false));
      }
      case STOP_CLIENT -> {
        begin("stop a client", " " + (number + 1), time);
        ClientJvm client = clients.get(number);
        client.pause();
        end(time, client::resume);
      }
    }
  }

  /** Each one comes before one comes again. */
  private Action nextAction() {
    if (ahead.isEmpty()) {
      List<Action> all = new ArrayList<>(List.of(Action.values()));
      Collections.shuffle(all, random);
      ahead.addAll(all);
    }
    return ahead.remove();
  }

  private boolean takeServer(String what, Duration time) {
    if (isServerAway) {
      return false;
    }
    begin(what, "", time);
    isServerAway = true;
    return true;
  }

  private void endServerFault(Duration time, Runnable heal) {
    end(
        time,
        () -> {
          heal.run();
          isServerAway = false;
        });
  }

  /** Another process may have been given the port meanwhile, and soon gives it back. */
  private void accept(FaultProxy link, int attempts) {
    try {
      link.accept();
    } catch (IllegalStateException e) {
      if (attempts == 1) {
        throw e;
      }
      end(Duration.ofMillis(100), () -> accept(link, attempts - 1));
    }
  }

  private void begin(String what, String whom, Duration time) {
    count(what);
    say(what + whom + ", for " + time.toMillis() + " ms");
  }

  private void end(Duration after, Runnable heal) {
    endings.add(new Ending(System.nanoTime() + after.toNanos(), heal));
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  private void say(String what) {
    out.printf(Locale.ROOT, "%7.2f s  %s%n", (System.nanoTime() - start) / 1e9, what);
    out.flush();
  }

  private Duration millis(int least, int most) {
    return Duration.ofMillis(least + random.nextInt(most - least + 1));
  }
}
