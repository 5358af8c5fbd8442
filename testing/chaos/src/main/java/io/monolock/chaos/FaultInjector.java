// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.ClientJvm;
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

/** Makes the servers, the links and the clients fail, one fault after the other or some at once. */
final class FaultInjector {

  private final List<NamedProxy> links;
  private final List<ClientJvm> clients;
  private final List<Fault> faults = new ArrayList<>();
  private final Random random;
  private final PrintWriter out;
  private final long start = System.nanoTime();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final PriorityQueue<Ending> endings =
      new PriorityQueue<>(Comparator.comparingLong(Ending::at));
  private final Deque<Fault> ahead = new ArrayDeque<>();

  FaultInjector(ChaosServers servers, List<ClientJvm> clients, long seed, PrintWriter out) {
    this.links = servers.links();
    this.clients = clients;
    this.random = new Random(seed);
    this.out = out;
    faults.addAll(servers.faults());
    faults.addAll(NetworkFaults.of(links));
    faults.add(FaultInjector::stopClient);
  }

  private record Ending(long at, Runnable heal) {}

  /** Does its work until it is told to end, and heals all that it has hurt. */
  void run(BooleanSupplier isOver) throws InterruptedException {
    while (!isOver.getAsBoolean()) {
      nextFault().begin(this, random.nextInt(links.size()), millis(50, 1_200));
      long next = System.nanoTime() + millis(150, 900).toNanos();
      while (!isOver.getAsBoolean() && System.nanoTime() - next < 0) {
        heal(System.nanoTime());
        Thread.sleep(5);
      }
    }
    heal(Long.MAX_VALUE);
    links.forEach(link -> link.proxy().reset());
    say("all faults end");
  }

  /** How often what was done. */
  Map<String, Integer> counts() {
    return counts;
  }

  /** Something is done that has no end of its own. */
  void happens(String what) {
    happens(what, what);
  }

  /**
   * Something is done that has no end of its own.
   *
   * @param kind what it is counted as
   */
  void happens(String kind, String what) {
    counts.merge(kind, 1, Integer::sum);
    say(what);
  }

  /** Something begins that lasts for some time. */
  void begins(String what, String whom, Duration time) {
    happens(what, what + whom + ", for " + time.toMillis() + " ms");
  }

  void endsAfter(Duration time, Runnable heal) {
    endings.add(new Ending(System.nanoTime() + time.toNanos(), heal));
  }

  Duration millis(int least, int most) {
    return Duration.ofMillis(least + random.nextInt(most - least + 1));
  }

  void say(String what) {
    out.printf(Locale.ROOT, "%7.2f s  %s%n", (System.nanoTime() - start) / 1e9, what);
    out.flush();
  }

  private void stopClient(int number, Duration time) {
    int which = number % clients.size();
    begins("stop a client", " " + (which + 1), time);
    ClientJvm client = clients.get(which);
    client.pause();
    endsAfter(time, client::resume);
  }

  private void heal(long now) {
    for (Ending next = endings.peek(); next != null && next.at() < now; next = endings.peek()) {
      endings.remove();
      next.heal().run();
    }
  }

  /** Each one comes before one comes again. */
  private Fault nextFault() {
    if (ahead.isEmpty()) {
      List<Fault> all = new ArrayList<>(faults);
      Collections.shuffle(all, random);
      ahead.addAll(all);
    }
    return ahead.remove();
  }
}
