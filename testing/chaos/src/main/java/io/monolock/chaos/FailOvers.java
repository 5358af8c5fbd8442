// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.RedisException;
import io.monolock.test.ServerNode;
import io.monolock.test.RedisServer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks all servers again and again of which keys they are the master, and remembers when a new one
 * may have lost writes of the former.
 *
 * <p>What the servers do is what counts, not what the nemesis has done: a link that is down, or a
 * machine that is busy, makes them fail over as well. A server that does not answer, as it is
 * paused, still is what it was: it may serve those who have asked it before it hears the news.
 */
final class FailOvers implements AutoCloseable {

  private static final long INTERVAL = 20_000_000;
  private static final long PATIENCE = 10_000_000_000L;

  private final Map<ServerNode, Reign> reigns = new HashMap<>();
  private final Map<String, ServerNode> lastMasters = new HashMap<>();
  private final List<LossyFailOver> losses = new ArrayList<>();
  private final Function<RedisServer, Set<String>> question;
  private volatile boolean isClosed;

  /** What a node was when it was last seen. */
  private static final class Reign {

    private final String name;
    private Set<String> keys = Set.of();
    private long seenAt = System.nanoTime();
    private long looks;
    private boolean isOrderly;

    Reign(String name) {
      this.name = name;
    }
  }

  private FailOvers(Function<RedisServer, Set<String>> question) {
    this.question = question;
  }

  /**
   * Begins to ask.
   *
   * @param nodes all that may become a master, which are well
   * @param question of which keys a server takes itself for the master
   */
  static FailOvers watch(List<ServerNode> nodes, Function<RedisServer, Set<String>> question) {
    FailOvers failOvers = new FailOvers(question);
    for (ServerNode node : nodes) {
      Reign reign = new Reign("node " + (nodes.indexOf(node) + 1));
      reign.keys = question.apply(node.server());
      reign.keys.forEach(key -> failOvers.lastMasters.put(key, node));
      failOvers.reigns.put(node, reign);
    }
    nodes.forEach(failOvers::startToLookAt);
    return failOvers;
  }

  private void startToLookAt(ServerNode node) {
    Thread looker = new Thread(() -> lookForEver(node), "chaos-fail-overs");
    looker.setDaemon(true);
    looker.start();
  }

  /** All so far. */
  synchronized List<LossyFailOver> losses() {
    return List.copyOf(losses);
  }

  /** Waits until each key has one master, as it has when all servers agree. */
  void awaitEnd() {
    long end = System.nanoTime() + PATIENCE;
    while (losses().stream().anyMatch(loss -> loss.until() == LossyFailOver.NOT_YET)) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("Each key must have one master, but " + losses());
      }
      LockSupport.parkNanos(INTERVAL);
    }
  }

  /** Makes a node the master of keys in a way that loses nothing. */
  void orderly(ServerNode node, Runnable change) {
    setOrderly(node, true);
    try {
      change.run();
    } finally {
      long looks = looks(node);
      // the next look may have begun before
      while (!isClosed && node.server().isRunning() && looks(node) < looks + 2) {
        LockSupport.parkNanos(INTERVAL);
      }
      setOrderly(node, false);
    }
  }

  private synchronized void setOrderly(ServerNode node, boolean isOrderly) {
    reign(node).isOrderly = isOrderly;
  }

  private synchronized long looks(ServerNode node) {
    return reign(node).looks;
  }

  private Reign reign(ServerNode node) {
    Reign reign = reigns.get(node);
    if (reign == null) {
      throw new IllegalArgumentException("node must be watched, was " + node);
    }
    return reign;
  }

  private void lookForEver(ServerNode node) {
    while (!isClosed) {
      long before = System.nanoTime();
      Set<String> keys = ask(node.server());
      if (keys != null) {
        seen(node, keys, before, System.nanoTime());
      }
      LockSupport.parkNanos(INTERVAL);
    }
  }

  private @Nullable Set<String> ask(RedisServer server) {
    if (!server.isRunning()) {
      return Set.of();
    }
    try {
      return question.apply(server);
    } catch (RedisException | IllegalStateException e) {
      return null;
    }
  }

  private synchronized void seen(ServerNode node, Set<String> keys, long asked, long answered) {
    Reign reign = reign(node);
    Set<String> won = new HashSet<>(keys);
    won.removeAll(reign.keys);
    if (!reign.isOrderly) {
      won.removeIf(key -> node.equals(lastMasters.get(key)));
      if (!won.isEmpty()) {
        losses.add(new LossyFailOver(won, reign.seenAt, LossyFailOver.NOT_YET, reign.name));
      }
    }
    reign.keys = keys;
    reign.seenAt = asked;
    reign.looks++;
    updateMasters();
    losses.replaceAll(
        loss ->
            loss.until() == LossyFailOver.NOT_YET && loss.keys().stream().allMatch(this::hasOneMaster)
                ? new LossyFailOver(loss.keys(), loss.from(), answered, loss.master())
                : loss);
  }

  private void updateMasters() {
    lastMasters.replaceAll(
        (key, last) -> {
          List<ServerNode> masters = mastersOf(key).toList();
          return masters.size() == 1 ? masters.get(0) : last;
        });
  }

  private boolean hasOneMaster(String key) {
    return mastersOf(key).count() == 1;
  }

  private Stream<ServerNode> mastersOf(String key) {
    return reigns.entrySet().stream()
        .filter(each -> each.getValue().keys.contains(key))
        .map(Map.Entry::getKey);
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
