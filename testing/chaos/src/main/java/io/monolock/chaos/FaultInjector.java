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

/** Makes servers, connections and clients fail at random, with one or several faults at a time. */
final class FaultInjector {

  private final List<NamedProxy> proxies;
  private final List<ClientJvm> clients;
  private final List<Fault> faults = new ArrayList<>();
  private final Random random;
  private final PrintWriter out;
  private final long start = System.nanoTime();
  private final Map<String, Integer> counts = new TreeMap<>();
  private final PriorityQueue<Ending> endings =
      new PriorityQueue<>(Comparator.comparingLong(Ending::at));
  private final Deque<Fault> shuffled = new ArrayDeque<>();

  FaultInjector(ChaosServers servers, List<ClientJvm> clients, long seed, PrintWriter out) {
    this.proxies = servers.proxies();
    this.clients = clients;
    this.random = new Random(seed);
    this.out = out;
    faults.addAll(servers.faults());
    faults.addAll(NetworkFaults.of(proxies));
    faults.add(FaultInjector::stopClient);
  }

  private record Ending(long at, Runnable heal) {}

  /** Injects faults until the run is over, then ends all of them. */
  void run(BooleanSupplier isOver) throws InterruptedException {
    while (!isOver.getAsBoolean()) {
      nextFault().begin(this, random.nextInt(proxies.size()), millis(50, 1_200));
      long next = System.nanoTime() + millis(150, 900).toNanos();
      while (!isOver.getAsBoolean() && System.nanoTime() - next < 0) {
        heal(System.nanoTime());
        Thread.sleep(5);
      }
    }
    heal(Long.MAX_VALUE);
    proxies.forEach(proxy -> proxy.proxy().reset());
    say("all faults end");
  }

  /** How often each kind of fault was injected. */
  Map<String, Integer> counts() {
    return counts;
  }

  /** Reports a fault without duration. */
  void happens(String what) {
    happens(what, what);
  }

  /**
   * Reports a fault without duration.
   *
   * @param kind the kind that it counts as
   */
  void happens(String kind, String what) {
    counts.merge(kind, 1, Integer::sum);
    say(what);
  }

  /** Reports a fault with a duration. */
  void begins(String what, String target, Duration time) {
    happens(what, what + target + ", for " + time.toMillis() + " ms");
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

  /** Each fault is used once before one is used again. */
  private Fault nextFault() {
    if (shuffled.isEmpty()) {
      List<Fault> all = new ArrayList<>(faults);
      Collections.shuffle(all, random);
      shuffled.addAll(all);
    }
    return shuffled.remove();
  }
}
