// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.RedisException;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisServer;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Masters with replicas, each behind a proxy. Servers keep their data when they are killed, so that
 * only a fail-over loses writes. Faults of servers that take long run one at a time.
 */
abstract class ReplicatedServers implements ChaosServers {

  private final List<ServerNode> nodes;
  private final List<NamedProxy> proxies;
  private final FailOvers failOvers;
  private final ServerOperation operation = new ServerOperation();

  /**
   * Observes servers.
   *
   * @param nodes all masters and replicas
   * @param proxies the proxies of these and of other servers
   * @param keysMastered the keys of which a node takes itself for the master
   */
  ReplicatedServers(
      List<ServerNode> nodes,
      List<NamedProxy> proxies,
      Function<ServerNode, Set<String>> keysMastered) {
    this.nodes = nodes;
    this.proxies = proxies;
    this.failOvers = FailOvers.observe(nodes, keysMastered);
  }

  /** The settings of each server. */
  static RedisServer.Builder durable() {
    return RedisServer.builder().config("appendonly", "yes").config("appendfsync", "no");
  }

  static Stream<NamedProxy> proxiesOf(String kind, List<ServerNode> nodes) {
    return IntStream.range(0, nodes.size())
        .mapToObj(i -> new NamedProxy(nodes.get(i).proxy(), kind + " " + (i + 1)));
  }

  /** The present masters. */
  abstract List<ServerNode> masters();

  abstract void awaitSettled();

  /** Resumes and starts all servers, and waits until they are settled. */
  abstract void recover();

  final boolean isIdle() {
    return !operation.isUnderWay();
  }

  /** Begins an operation; none must be under way. */
  final void operate(FaultInjector injector, Runnable steps) {
    operation.begin(injector, steps);
  }

  final void restartAfter(Duration time, ServerNode killed) {
    ServerOperation.pass(time);
    killed.server().restart();
    awaitSettled();
  }

  final void pauseFor(Duration time, ServerNode node) {
    node.server().pause();
    ServerOperation.pass(time);
    node.server().resume();
    awaitSettled();
  }

  /** Makes a node the master of keys in a way that loses nothing. */
  final void changeInOrder(ServerNode node, Runnable change) {
    failOvers.orderly(node, change);
  }

  final void flushScripts(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      injector.happens("flush scripts");
      for (ServerNode node : nodes) {
        var unused = node.server().command("SCRIPT", "FLUSH");
      }
    }
  }

  @Override
  public final List<NamedProxy> proxies() {
    return proxies;
  }

  @Override
  public final void settle() {
    operation.await();
    recover();
    failOvers.awaitEnd();
  }

  @Override
  public final List<String> keys() {
    try {
      return masters().stream()
          .flatMap(master -> KeyScanner.of(master.server()).matching("*").stream())
          .toList();
    } catch (RedisException e) {
      throw new IllegalStateException("All masters must answer", e);
    }
  }

  @Override
  public final List<LossyFailOver> lossyFailOvers() {
    return failOvers.lossy();
  }

  @Override
  public void close() {
    failOvers.close();
  }
}
