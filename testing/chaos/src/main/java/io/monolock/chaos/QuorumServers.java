// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.monolock.quorum.QuorumLockStore;
import io.monolock.redis.RedisLockStore;
import io.monolock.test.FaultProxy;
import io.monolock.test.KeyScanner;
import io.monolock.test.RedisMasters;
import io.monolock.test.RedisServer;
import io.monolock.test.ServerNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Three servers, and a proxy from each client to each of them. At most one server at a time has
 * lost its data: the next one may lose them when the former votes again, as a quorum tolerates no
 * more.
 */
final class QuorumServers implements ChaosServers {

  private static final int MEMBERS = 3;
  private static final int ATTEMPTS = 20;

  /** A member determines since when it has its data when it is first asked; clocks differ, too. */
  private static final Duration ASKED_WITHIN = Duration.ofSeconds(1);

  /** For a client to be granted a lock and hold it for some time. */
  private static final Duration LONG_ENOUGH = Duration.ofMillis(400);

  private final RedisMasters members =
      RedisMasters.start(
          MEMBERS, RedisServer.builder().config("appendonly", "yes").config("appendfsync", "no"));
  private final List<NamedProxy> proxies = new ArrayList<>();
  private final Set<ServerNode> away = new HashSet<>();

  /** Until a member that has lost its data votes again. */
  private final Duration rest;

  private long mayForgetAt = System.nanoTime();

  QuorumServers(int clients, boolean wipedVotes) {
    Duration longest = ChaosTopology.QUORUM.longestTtl();
    this.rest = wipedVotes ? Duration.ZERO : longest.plus(longest.dividedBy(50)).plus(ASKED_WITHIN);
    declareNew(longest);
    for (int client = 1; client <= clients; client++) {
      for (int member = 1; member <= MEMBERS; member++) {
        proxies.add(
            new NamedProxy(
                FaultProxy.before(members.node(member - 1).server()),
                "client %d to member %d".formatted(client, member)));
      }
    }
  }

  private void declareNew(Duration longestTtl) {
    RedisClient client = RedisClient.create();
    QuorumLockStore store =
        QuorumLockStore.create(
            members.uris().stream()
                .map(uri -> RedisLockStore.create(client, RedisURI.create(uri)))
                .toList(),
            longestTtl);
    store.declareNew().retry(ATTEMPTS).then(store.close()).block(Duration.ofSeconds(30));
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
  }

  @Override
  public String addressFor(int client) {
    return IntStream.range((client - 1) * MEMBERS, client * MEMBERS)
        .mapToObj(i -> proxies.get(i).proxy().uri())
        .collect(Collectors.joining(","));
  }

  @Override
  public List<NamedProxy> proxies() {
    return proxies;
  }

  @Override
  public List<Fault> faults() {
    List<Fault> faults =
        new ArrayList<>(List.of(this::restart, this::empty, this::pause, this::flushScripts));
    // it stresses most, and may come often if no rest is needed
    faults.addAll(Collections.nCopies(rest.isZero() ? 6 : 2, this::emptyWhileAnotherIsUnreachable));
    return faults;
  }

  private void restart(FaultInjector injector, int number, Duration time) {
    ServerNode member = memberAt(number);
    if (mayForget()) {
      injector.begins("kill a member, restart it", " " + nameAt(number), time);
      member.server().kill();
      away.add(member);
      injector.endsAfter(time, () -> isBack(member, member.server()::restart));
    }
  }

  private void empty(FaultInjector injector, int number, Duration time) {
    ServerNode member = memberAt(number);
    if (mayForget()) {
      injector.begins("kill a member, restart it empty", " " + nameAt(number), time);
      member.server().kill();
      away.add(member);
      injector.endsAfter(time, () -> isBack(member, member.server()::restartEmpty));
    }
  }

  /** Only two members then have the grants of most clients, and one of them loses them. */
  private void emptyWhileAnotherIsUnreachable(FaultInjector injector, int number, Duration time) {
    ServerNode member = memberAt(number + 1);
    if (mayForget()) {
      Duration before = LONG_ENOUGH.plus(time.dividedBy(4));
      injector.begins(
          "drop requests to a member, empty another one",
          " %s except those of client %d, %s"
              .formatted(nameAt(number), number / MEMBERS + 1, nameAt(number + 1)),
          before);
      List<FaultProxy> proxiesOfOthers =
          IntStream.range(0, proxies.size())
              .filter(i -> i % MEMBERS == number % MEMBERS && i != number)
              .mapToObj(i -> proxies.get(i).proxy())
              .toList();
      proxiesOfOthers.forEach(proxy -> proxy.dropRequests(true));
      away.add(member);
      injector.endsAfter(before, () -> isBack(member, member.server()::restartEmpty));
      injector.endsAfter(
          before.plus(LONG_ENOUGH),
          () -> proxiesOfOthers.forEach(proxy -> proxy.dropRequests(false)));
    }
  }

  private void pause(FaultInjector injector, int number, Duration time) {
    ServerNode member = memberAt(number);
    if (away.isEmpty()) {
      injector.begins("pause a member", " " + nameAt(number), time);
      member.server().pause();
      away.add(member);
      injector.endsAfter(
          time,
          () -> {
            member.server().resume();
            away.remove(member);
          });
    }
  }

  private void flushScripts(FaultInjector injector, int number, Duration time) {
    if (away.isEmpty()) {
      injector.happens("flush scripts");
      for (ServerNode member : members.nodes()) {
        var unused = member.server().command("SCRIPT", "FLUSH");
      }
    }
  }

  private boolean mayForget() {
    return away.isEmpty() && System.nanoTime() - mayForgetAt > 0;
  }

  private void isBack(ServerNode member, Runnable restart) {
    restart.run();
    away.remove(member);
    mayForgetAt = System.nanoTime() + rest.toNanos();
  }

  private ServerNode memberAt(int number) {
    return members.node(number % MEMBERS);
  }

  private static String nameAt(int number) {
    return "" + (number % MEMBERS + 1);
  }

  @Override
  public List<String> keys() {
    return members.nodes().stream()
        .flatMap(member -> KeyScanner.of(member.server()).matching("*").stream())
        .toList();
  }

  @Override
  public void close() {
    proxies.forEach(proxy -> proxy.proxy().close());
    members.close();
  }
}
