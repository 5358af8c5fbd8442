// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.test.RedisSentinels;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A master, two replicas and three sentinels. */
final class SentinelServers extends ReplicatedServers {

  private final RedisSentinels sentinels;

  private SentinelServers(RedisSentinels sentinels) {
    super(
        sentinels.nodes(),
        Stream.concat(
                proxiesOf("server", sentinels.nodes()),
                proxiesOf("sentinel", sentinels.sentinels()))
            .toList(),
        SentinelServers::keysMastered);
    this.sentinels = sentinels;
  }

  static SentinelServers start() {
    return new SentinelServers(RedisSentinels.startBehindProxies(durable()));
  }

  /** All keys or none. */
  static Set<String> keysMastered(ServerNode node) {
    return node.server().command("ROLE") instanceof List<?> role && "master".equals(role.get(0))
        ? ChaosTopology.SENTINEL.keys().stream().flatMap(List::stream).collect(Collectors.toSet())
        : Set.of();
  }

  @Override
  public String addressFor(int client) {
    return sentinels.uri();
  }

  @Override
  public List<Fault> faults() {
    return List.of(
        this::killMaster, this::failOver, this::pauseNode, this::killSentinel, this::flushScripts);
  }

  private void killMaster(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      Duration away = time.multipliedBy(4);
      injector.begins("kill the master, restart it", "", away);
      operate(injector, () -> restartAfter(away, sentinels.killMaster()));
    }
  }

  /** Sentinels do not wait until the replica has all writes. */
  private void failOver(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      injector.happens("fail over");
      operate(injector, sentinels::failOver);
    }
  }

  private void pauseNode(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      int which = number % sentinels.nodes().size();
      Duration away = time.multipliedBy(3);
      injector.begins("pause a server", " " + (which + 1), away);
      operate(injector, () -> pauseFor(away, sentinels.nodes().get(which)));
    }
  }

  private void killSentinel(FaultInjector injector, int number, Duration time) {
    if (isIdle()) {
      int which = number % sentinels.sentinels().size();
      injector.begins("kill a sentinel, restart it", " " + (which + 1), time);
      operate(
          injector,
          () -> {
            ServerNode sentinel = sentinels.sentinels().get(which);
            sentinel.server().kill();
            ServerOperation.pass(time);
            sentinels.restart(sentinel);
          });
    }
  }

  @Override
  List<ServerNode> masters() {
    return List.of(sentinels.master());
  }

  @Override
  void awaitSettled() {
    sentinels.awaitSettled();
  }

  @Override
  void recover() {
    sentinels.recover();
  }

  @Override
  public void close() {
    super.close();
    sentinels.close();
  }
}
