// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.FaultProxy;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisServer;
import io.monolock.test.ReplicaPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A primary and its replica, which must have a grant before it counts, and two proxies for each
 * client. Both servers store each write, and roles change in order, so that nothing is lost. Faults
 * of servers run one at a time.
 */
final class ReplicatedServer implements ChaosServers {

  private final ReplicaPair pair = ReplicaPair.start(RedisServer.builder().persistent());
  private final List<List<NamedProxy>> proxies = new ArrayList<>();
  private final ServerOperation operation = new ServerOperation();

  ReplicatedServer(int clients) {
    for (int client = 1; client <= clients; client++) {
      proxies.add(
          List.of(
              new NamedProxy(
                  FaultProxy.before(pair.primary()), "client %d to server 1".formatted(client)),
              new NamedProxy(
                  FaultProxy.before(pair.replica()), "client %d to server 2".formatted(client))));
    }
  }

  @Override
  public String addressFor(int client) {
    return String.join(
        ",", proxies.get(client - 1).stream().map(named -> named.proxy().uri()).toList());
  }

  @Override
  public List<NamedProxy> proxies() {
    return proxies.stream().flatMap(List::stream).toList();
  }

  @Override
  public List<Fault> faults() {
    return List.of(
        this::killPrimary,
        this::pausePrimary,
        this::pauseReplica,
        this::cutReplication,
        this::failOver,
        this::flushScripts);
  }

  private void killPrimary(FaultInjector injector, int number, Duration time) {
    operate(
        injector,
        "kill the primary, restart it",
        time,
        () -> {
          pair.primary().kill();
          ServerOperation.pass(time);
          pair.primary().restart();
          pair.awaitInSync();
        });
  }

  private void pausePrimary(FaultInjector injector, int number, Duration time) {
    operate(injector, "pause the primary", time, () -> pause(pair.primary(), time));
  }

  private void pauseReplica(FaultInjector injector, int number, Duration time) {
    operate(injector, "pause the replica", time, () -> pause(pair.replica(), time));
  }

  private void pause(RedisServer server, Duration time) {
    server.pause();
    ServerOperation.pass(time);
    server.resume();
    pair.awaitInSync();
  }

  private void cutReplication(FaultInjector injector, int number, Duration time) {
    operate(
        injector,
        "cut the replication",
        time,
        () -> {
          pair.cutReplication();
          ServerOperation.pass(time);
          pair.mendReplication();
        });
  }

  private void failOver(FaultInjector injector, int number, Duration time) {
    if (!operation.isUnderWay()) {
      injector.happens("fail over in order");
      operation.begin(injector, pair::failOver);
    }
  }

  private void flushScripts(FaultInjector injector, int number, Duration time) {
    if (!operation.isUnderWay()) {
      injector.happens("flush scripts");
      var unused = pair.primary().command("SCRIPT", "FLUSH");
    }
  }

  private void operate(FaultInjector injector, String what, Duration time, Runnable steps) {
    if (!operation.isUnderWay()) {
      injector.begins(what, "", time);
      operation.begin(injector, steps);
    }
  }

  @Override
  public void settle() {
    operation.await();
    pair.mendReplication();
  }

  @Override
  public List<String> keys() {
    return KeyScanner.of(pair.primary()).matching("*");
  }

  @Override
  public void close() {
    proxies().forEach(named -> named.proxy().close());
    pair.close();
  }
}
