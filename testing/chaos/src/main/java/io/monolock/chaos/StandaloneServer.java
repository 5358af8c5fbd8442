// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.FaultProxy;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** One server that stores each write, and a proxy for each client. */
final class StandaloneServer implements ChaosServers {

  private final RedisServer server = RedisServer.builder().persistent().start();
  private final List<NamedProxy> proxies;
  private boolean isAway;

  StandaloneServer(int clients) {
    this.proxies =
        IntStream.rangeClosed(1, clients)
            .mapToObj(client -> new NamedProxy(FaultProxy.before(server), "client " + client))
            .toList();
  }

  @Override
  public String addressFor(int client) {
    return proxies.get(client - 1).proxy().uri();
  }

  @Override
  public List<NamedProxy> proxies() {
    return proxies;
  }

  @Override
  public List<Fault> faults() {
    return List.of(this::kill, this::pause, this::flushScripts);
  }

  private void kill(FaultInjector injector, int number, Duration time) {
    if (!isAway) {
      injector.begins("kill the server, restart it", "", time);
      server.kill();
      isAwayFor(injector, time, server::restart);
    }
  }

  private void pause(FaultInjector injector, int number, Duration time) {
    if (!isAway) {
      injector.begins("pause the server", "", time);
      server.pause();
      isAwayFor(injector, time, server::resume);
    }
  }

  private void isAwayFor(FaultInjector injector, Duration time, Runnable heal) {
    isAway = true;
    injector.endsAfter(
        time,
        () -> {
          heal.run();
          isAway = false;
        });
  }

  private void flushScripts(FaultInjector injector, int number, Duration time) {
    if (!isAway) {
      injector.happens("flush scripts");
      var unused = server.command("SCRIPT", "FLUSH");
    }
  }

  @Override
  public List<String> keys() {
    return KeyScanner.of(server).matching("*");
  }

  @Override
  public void close() {
    proxies.forEach(proxy -> proxy.proxy().close());
    server.close();
  }
}
