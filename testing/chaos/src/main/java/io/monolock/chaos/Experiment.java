// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.ClientJvm;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * One run: starts servers and clients, injects faults, ends all in order, and checks the history.
 */
final class Experiment implements AutoCloseable {

  /** The time without faults before the clients are closed, in which they reconnect. */
  private static final long CALM_MILLIS = 2_500;

  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(2);
  private static final Duration KEYS_GONE_WITHIN = Duration.ofSeconds(3);
  private static final long CLIENTS_END_WITHIN_SECONDS = 90;

  private final ChaosSettings settings;
  private final PrintWriter out;
  private final ChaosServers servers;
  private final List<ClientJvm> clients = new ArrayList<>();
  private final List<CompletableFuture<Void>> journals = new ArrayList<>();
  private final History history = new History();
  private final ExecutorService readers = Executors.newCachedThreadPool();
  private final long start;

  private Experiment(ChaosSettings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
    this.servers = ChaosServers.start(settings);
    this.start = System.nanoTime();
  }

  /** Runs to the end, or to the first violation. */
  static ChaosResult run(ChaosSettings settings, PrintWriter out) throws InterruptedException {
    try (Experiment experiment = new Experiment(settings, out)) {
      return experiment.run();
    }
  }

  private ChaosResult run() throws InterruptedException {
    startClients();
    FaultInjector injector = new FaultInjector(servers, clients, settings.seed(), out);
    RunProgress progress = new RunProgress();
    injector.run(progress::isOver);
    Findings findings = progress.findings;
    if (!findings.isViolation()) {
      servers.settle();
      Thread.sleep(CALM_MILLIS);
      findings = endAndCheck();
    }
    return new ChaosResult(
        start,
        history,
        findings,
        servers.lossyFailOvers(),
        injector.counts(),
        (System.nanoTime() - start) / 1e9);
  }

  private void startClients() {
    for (int number = 1; number <= settings.clients(); number++) {
      ClientJvm client =
          ClientJvm.start(
              ChaosClient.class,
              settings.topology().name(),
              servers.addressFor(number),
              "" + number,
              "" + settings.seed(),
              "" + settings.workers(),
              settings.breakage().name(),
              "" + settings.wipedVotes());
      clients.add(client);
      journals.add(CompletableFuture.runAsync(() -> read(client), readers));
    }
  }

  private void read(ClientJvm client) {
    Duration longest = Duration.ofSeconds(settings.seconds() + 2 * CLIENTS_END_WITHIN_SECONDS);
    for (String line = client.readLine(longest);
        !Journal.isEnd(line);
        line = client.readLine(longest)) {
      history.add(CallEvent.parse(line));
    }
  }

  private Findings endAndCheck() throws InterruptedException {
    clients.forEach(client -> client.send("close"));
    long healed = System.nanoTime();
    CompletableFuture<Void> ended =
        CompletableFuture.allOf(journals.toArray(CompletableFuture<?>[]::new));
    ended.orTimeout(CLIENTS_END_WITHIN_SECONDS, TimeUnit.SECONDS).join();
    List<String> left = keysLeft();
    out.printf("Clients ended in %d ms%n", Duration.ofNanos(System.nanoTime() - healed).toMillis());
    return checker().finished(history, left, System.nanoTime());
  }

  private Checker checker() {
    return new Checker(servers.lossyFailOvers(), settings.topology().longestTtl());
  }

  private List<String> keysLeft() throws InterruptedException {
    long end = System.nanoTime() + KEYS_GONE_WITHIN.toNanos();
    List<String> left = locks();
    while (!left.isEmpty() && System.nanoTime() - end < 0) {
      Thread.sleep(20);
      left = locks();
    }
    return left;
  }

  private List<String> locks() {
    return servers.keys().stream()
        .filter(key -> settings.topology().keys().stream().anyMatch(keys -> keys.contains(key)))
        .toList();
  }

  @Override
  public void close() {
    clients.forEach(ClientJvm::close);
    servers.close();
    readers.shutdownNow();
  }

  /** Decides when the run is over; checks for violations from time to time. */
  private final class RunProgress {

    private final long end = start + Duration.ofSeconds(settings.seconds()).toNanos();
    private long nextCheck = start + CHECK_INTERVAL.toNanos();
    private Findings findings = Findings.NONE;

    boolean isOver() {
      long now = System.nanoTime();
      if (!findings.isViolation() && now - nextCheck > 0) {
        findings = checker().soFar(history);
        // the longer a check takes, the rarer
        long took = System.nanoTime() - now;
        nextCheck = System.nanoTime() + CHECK_INTERVAL.toNanos() + 20 * took;
      }
      return findings.isViolation()
          || now - end > 0
          || journals.stream().anyMatch(CompletableFuture::isDone);
    }
  }
}
