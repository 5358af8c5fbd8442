// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.FaultProxy;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** One server that stores each write, and a link for each client. */
final class StandaloneServer implements ChaosServers {

  private final RedisServer server = RedisServer.builder().persistent().start();
  private final List<NamedProxy> links;
  private boolean isAway;

  StandaloneServer(int clients) {
    this.links =
        IntStream.rangeClosed(1, clients)
            .mapToObj(client -> new NamedProxy(FaultProxy.before(server), "client " + client))
            .toList();
  }

  @Override
  public String addressFor(int client) {
    return links.get(client - 1).proxy().uri();
  }

  @Override
  public List<NamedProxy> links() {
    return links;
  }

  @Override
  public List<Fault> faults() {
    return List.of(this::kill, this::pause, this::flushScripts);
  }

  private void kill(FaultInjector nemesis, int number, Duration time) {
    if (!isAway) {
      nemesis.begins("kill the server, restart it", "", time);
      server.kill();
      isAwayFor(nemesis, time, server::restart);
    }
  }

  private void pause(FaultInjector nemesis, int number, Duration time) {
    if (!isAway) {
      nemesis.begins("pause the server", "", time);
      server.pause();
      isAwayFor(nemesis, time, server::resume);
    }
  }

  private void isAwayFor(FaultInjector nemesis, Duration time, Runnable heal) {
    isAway = true;
    nemesis.endsAfter(
        time,
        () -> {
          heal.run();
          isAway = false;
        });
  }

  private void flushScripts(FaultInjector nemesis, int number, Duration time) {
    if (!isAway) {
      nemesis.happens("flush scripts");
      var unused = server.command("SCRIPT", "FLUSH");
    }
  }

  @Override
  public void settle() {}

  @Override
  public List<String> keys() {
    return KeyScanner.of(server).matching("*");
  }

  @Override
  public List<LossyFailOver> losses() {
    return List.of();
  }

  @Override
  public void close() {
    links.forEach(link -> link.proxy().close());
    server.close();
  }
}
