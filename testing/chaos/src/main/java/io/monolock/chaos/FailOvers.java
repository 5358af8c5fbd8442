// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.lettuce.core.RedisException;
import io.monolock.test.ServerNode;
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
 * Polls all servers for the keys of which they are the master, and records when a new master may
 * have lost writes of the former one.
 *
 * <p>Fail-overs are observed, not derived from injected faults: a cut connection or a busy machine
 * causes them as well. A server that does not answer, because it is paused, keeps its last state:
 * it may execute commands that it received before it learns of a new master.
 */
final class FailOvers implements AutoCloseable {

  private static final long INTERVAL = 20_000_000;
  private static final long TIMEOUT = 10_000_000_000L;

  private final Map<ServerNode, NodeState> states = new HashMap<>();
  private final Map<String, ServerNode> lastMasters = new HashMap<>();
  private final List<LossyFailOver> lossy = new ArrayList<>();
  private final Function<ServerNode, Set<String>> keysMastered;
  private volatile boolean isClosed;

  /** The state of a node at its last answer. */
  private static final class NodeState {

    private final String name;
    private Set<String> keys = Set.of();
    private long seenAt = System.nanoTime();
    private long observations;
    private boolean isOrderly;

    NodeState(String name) {
      this.name = name;
    }
  }

  private FailOvers(Function<ServerNode, Set<String>> keysMastered) {
    this.keysMastered = keysMastered;
  }

  /**
   * Begins to poll.
   *
   * @param nodes all nodes that may become a master, settled and running
   * @param keysMastered the keys of which a node takes itself for the master
   */
  static FailOvers observe(List<ServerNode> nodes, Function<ServerNode, Set<String>> keysMastered) {
    FailOvers failOvers = new FailOvers(keysMastered);
    for (ServerNode node : nodes) {
      NodeState state = new NodeState("node " + (nodes.indexOf(node) + 1));
      state.keys = keysMastered.apply(node);
      state.keys.forEach(key -> failOvers.lastMasters.put(key, node));
      failOvers.states.put(node, state);
    }
    nodes.forEach(failOvers::startObserving);
    return failOvers;
  }

  private void startObserving(ServerNode node) {
    Thread thread = new Thread(() -> observeForever(node), "chaos-fail-overs");
    thread.setDaemon(true);
    thread.start();
  }

  /** The fail-overs so far. */
  synchronized List<LossyFailOver> lossy() {
    return List.copyOf(lossy);
  }

  /** Waits until each key has one master, as it has when all servers agree. */
  void awaitEnd() {
    long end = System.nanoTime() + TIMEOUT;
    while (lossy().stream().anyMatch(failOver -> failOver.until() == LossyFailOver.NOT_YET)) {
      if (System.nanoTime() - end > 0) {
        throw new IllegalStateException("Each key must have one master, but " + lossy());
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
      long observations = observations(node);
      // the next observation may have begun before
      while (!isClosed && node.server().isRunning() && observations(node) < observations + 2) {
        LockSupport.parkNanos(INTERVAL);
      }
      setOrderly(node, false);
    }
  }

  private synchronized void setOrderly(ServerNode node, boolean isOrderly) {
    state(node).isOrderly = isOrderly;
  }

  private synchronized long observations(ServerNode node) {
    return state(node).observations;
  }

  private NodeState state(ServerNode node) {
    NodeState state = states.get(node);
    if (state == null) {
      throw new IllegalArgumentException("node must be observed, was " + node);
    }
    return state;
  }

  private void observeForever(ServerNode node) {
    while (!isClosed) {
      long before = System.nanoTime();
      Set<String> keys = poll(node);
      if (keys != null) {
        seen(node, keys, before, System.nanoTime());
      }
      LockSupport.parkNanos(INTERVAL);
    }
  }

  private @Nullable Set<String> poll(ServerNode node) {
    if (!node.server().isRunning()) {
      return Set.of();
    }
    try {
      return keysMastered.apply(node);
    } catch (RedisException | IllegalStateException e) {
      return null;
    }
  }

  private synchronized void seen(ServerNode node, Set<String> keys, long asked, long answered) {
    NodeState state = state(node);
    Set<String> won = new HashSet<>(keys);
    won.removeAll(state.keys);
    if (!state.isOrderly) {
      won.removeIf(key -> node.equals(lastMasters.get(key)));
      if (!won.isEmpty()) {
        lossy.add(new LossyFailOver(won, state.seenAt, LossyFailOver.NOT_YET, state.name));
      }
    }
    state.keys = keys;
    state.seenAt = asked;
    state.observations++;
    updateMasters();
    lossy.replaceAll(
        failOver ->
            failOver.until() == LossyFailOver.NOT_YET
                    && failOver.keys().stream().allMatch(this::hasOneMaster)
                ? new LossyFailOver(failOver.keys(), failOver.from(), answered, failOver.master())
                : failOver);
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
    return states.entrySet().stream()
        .filter(each -> each.getValue().keys.contains(key))
        .map(Map.Entry::getKey);
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
