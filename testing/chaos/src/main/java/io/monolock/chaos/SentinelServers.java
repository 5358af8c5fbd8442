// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.RedisException;
import io.monolock.test.KeyScanner;
import io.monolock.test.ServerNode;
import io.monolock.test.RedisSentinels;
import io.monolock.test.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A master, two replicas and three sentinels, each behind a link of its own. Servers keep what they
 * have when they are killed, so that only a fail-over loses something.
 */
final class SentinelServers implements ChaosServers {

  private final RedisSentinels sentinels =
      RedisSentinels.startBehindProxies(
          RedisServer.builder().config("appendonly", "yes").config("appendfsync", "no"));
  private final List<NamedProxy> links =
      Stream.concat(
              linksOf("server", sentinels.nodes()), linksOf("sentinel", sentinels.sentinels()))
          .toList();
  private final FailOvers failOvers =
      FailOvers.watch(sentinels.nodes(), SentinelServers::keysMastered);
  private final ServerOperation operation = new ServerOperation();

  private static Stream<NamedProxy> linksOf(String kind, List<ServerNode> nodes) {
    return IntStream.range(0, nodes.size())
        .mapToObj(i -> new NamedProxy(nodes.get(i).proxy(), kind + " " + (i + 1)));
  }

  /** All or none. */
  static Set<String> keysMastered(RedisServer server) {
    return server.command("ROLE") instanceof List<?> role && "master".equals(role.get(0))
        ? ChaosTopology.SENTINEL.keys().stream().flatMap(List::stream).collect(Collectors.toSet())
        : Set.of();
  }

  @Override
  public String addressFor(int client) {
    return sentinels.uri();
  }

  @Override
  public List<NamedProxy> links() {
    return links;
  }

  @Override
  public List<Fault> faults() {
    return List.of(
        this::killMaster, this::failOver, this::pauseNode, this::killSentinel, this::flushScripts);
  }

  private void killMaster(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      Duration away = time.multipliedBy(4);
      nemesis.begins("kill the master, restart it", "", away);
      operation.begin(
          nemesis,
          () -> {
            ServerNode master = sentinels.killMaster();
            ServerOperation.pass(away);
            master.server().restart();
            sentinels.awaitSettled();
          });
    }
  }

  /** Sentinels do not wait for what the replica has not heard of yet. */
  private void failOver(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      nemesis.happens("fail over");
      operation.begin(nemesis, sentinels::failOver);
    }
  }

  private void pauseNode(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      int which = number % sentinels.nodes().size();
      Duration away = time.multipliedBy(3);
      nemesis.begins("pause a server", " " + (which + 1), away);
      operation.begin(
          nemesis,
          () -> {
            RedisServer server = sentinels.nodes().get(which).server();
            server.pause();
            ServerOperation.pass(away);
            server.resume();
            sentinels.awaitSettled();
          });
    }
  }

  private void killSentinel(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      int which = number % sentinels.sentinels().size();
      nemesis.begins("kill a sentinel, restart it", " " + (which + 1), time);
      operation.begin(
          nemesis,
          () -> {
            ServerNode sentinel = sentinels.sentinels().get(which);
            sentinel.server().kill();
            ServerOperation.pass(time);
            sentinels.restart(sentinel);
          });
    }
  }

  private void flushScripts(FaultInjector nemesis, int number, Duration time) {
    if (!operation.isUnderWay()) {
      nemesis.happens("flush scripts");
      for (ServerNode node : sentinels.nodes()) {
        var unused = node.server().command("SCRIPT", "FLUSH");
      }
    }
  }

  @Override
  public void settle() {
    operation.await();
    for (ServerNode node : sentinels.nodes()) {
      node.server().resume();
      if (!node.server().isRunning()) {
        node.server().restart();
      }
    }
    sentinels.awaitSettled();
    failOvers.awaitEnd();
  }

  @Override
  public List<String> keys() {
    try {
      return KeyScanner.of(sentinels.master().server()).matching("*");
    } catch (RedisException e) {
      throw new IllegalStateException("The master must answer", e);
    }
  }

  @Override
  public List<LossyFailOver> losses() {
    return failOvers.losses();
  }

  @Override
  public void close() {
    failOvers.close();
    sentinels.close();
  }
}
