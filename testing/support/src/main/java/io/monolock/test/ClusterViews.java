// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.monolock.test.ClusterView.NodeLine;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The views of all nodes of a cluster that run and are not paused, read at about one moment. */
final class ClusterViews {

  private final Map<String, ServerNode> nodes;
  private final Map<String, ClusterView> views = new LinkedHashMap<>();

  private ClusterViews(Map<String, ServerNode> nodes) {
    this.nodes = nodes;
    nodes.forEach(
        (id, node) -> {
          if (node.server().isAwake()) {
            views.put(id, ClusterView.of(node.server()));
          }
        });
  }

  /** Reads the views of nodes, by their ids. */
  static ClusterViews read(Map<String, ServerNode> nodes) {
    return new ClusterViews(nodes);
  }

  /** The owner of a slot by the view with the highest epoch; empty if the slot has none. */
  Optional<ServerNode> ownerOf(int slot) {
    return lines()
        .filter(line -> line.slots().get(slot))
        .max(Comparator.comparingLong(NodeLine::epoch))
        .map(line -> nodes.get(line.id()));
  }

  /** The owners of slots, each slot by the view with the highest epoch. */
  List<ServerNode> owners() {
    Map<Integer, String> owners = new HashMap<>();
    lines()
        .sorted(Comparator.comparingLong(NodeLine::epoch))
        .forEach(line -> line.slots().stream().forEach(slot -> owners.put(slot, line.id())));
    Set<String> distinct = new HashSet<>(owners.values());
    return choose(distinct::contains);
  }

  /** The nodes that report themselves as replicas of a node. */
  List<ServerNode> replicasOf(String master) {
    return choose(
        id -> {
          ClusterView view = views.get(id);
          return view != null && view.self().master().equals(master);
        });
  }

  /** Which nodes are not in the views of others yet. */
  List<String> nodesNotConnected() {
    List<String> missing = new ArrayList<>();
    views.forEach(
        (id, view) -> {
          for (String other : nodes.keySet()) {
            if (!view.line(other).map(NodeLine::isWell).orElse(false)) {
              missing.add(nodes.get(id) + " does not know " + nodes.get(other));
            }
          }
        });
    return missing;
  }

  /** Which views do not show the node as the owner of the slots. */
  List<String> nodesNotAware(String owner, BitSet slots) {
    List<String> missing = new ArrayList<>();
    views.forEach(
        (id, view) -> {
          BitSet left = (BitSet) slots.clone();
          view.line(owner).map(NodeLine::slots).ifPresent(left::andNot);
          if (!left.isEmpty()) {
            missing.add(
                "%s sees %d slots at other nodes than %s"
                    .formatted(nodes.get(id), left.cardinality(), nodes.get(owner)));
          }
        });
    return missing;
  }

  /** In what the views do not agree on a cluster that works; nothing once they do. */
  List<String> problems() {
    List<String> missing = new ArrayList<>();
    if (views.isEmpty()) {
      missing.add("no node runs");
    }
    views.forEach((id, view) -> addProblems(missing, id, view));
    return missing;
  }

  private void addProblems(List<String> missing, String id, ClusterView view) {
    ServerNode node = Objects.requireNonNull(nodes.get(id));
    String state = Info.field(node.server(), "CLUSTER INFO", "cluster_state");
    if (!state.equals("ok")) {
      missing.add(node + " says the state is " + state);
    }
    nodes.forEach(
        (other, known) -> {
          boolean isAwake = views.containsKey(other);
          Predicate<NodeLine> expected = isAwake ? NodeLine::isWell : NodeLine::isFailed;
          if (view.line(other).filter(expected).isEmpty()) {
            missing.add("%s takes %s for %s".formatted(node, known, isAwake ? "failed" : "well"));
          }
        });
    view.owned()
        .forEach(
            (owner, slots) -> {
              ClusterView own = views.get(owner);
              if (own == null || !slots.equals(own.self().slots())) {
                missing.add("%s is wrong in what %s owns".formatted(node, nodes.get(owner)));
              }
            });
    if (view.self().isMaster()) {
      if (view.self().slots().isEmpty()) {
        missing.add(node + " is a master without slots");
      }
    } else {
      addProblemsOfReplica(missing, node, view);
    }
  }

  private void addProblemsOfReplica(List<String> missing, ServerNode node, ClusterView view) {
    String master = view.self().master();
    if (!views.containsKey(master)) {
      missing.add("%s follows %s".formatted(node, nodes.get(master)));
    }
    if (!Info.field(node.server(), "INFO replication", "master_link_status").equals("up")) {
      missing.add("%s is not connected to %s".formatted(node, nodes.get(master)));
    }
    views.forEach(
        (id, other) -> {
          if (!other.line(view.self().id()).map(NodeLine::master).orElse("").equals(master)) {
            missing.add("%s does not know the master of %s".formatted(nodes.get(id), node));
          }
        });
  }

  private Stream<NodeLine> lines() {
    return views.values().stream().flatMap(view -> view.lines().values().stream());
  }

  private List<ServerNode> choose(Predicate<String> isWanted) {
    return nodes.entrySet().stream()
        .filter(node -> isWanted.test(node.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }
}
