// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import io.monolock.test.ClusterView.Entry;
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

/** What all nodes of a cluster that can be asked said of it at about one moment. */
final class ClusterViews {

  private final Map<String, RedisNode> nodes;
  private final Map<String, ClusterView> views = new LinkedHashMap<>();

  private ClusterViews(Map<String, RedisNode> nodes) {
    this.nodes = nodes;
    nodes.forEach(
        (id, node) -> {
          if (node.server().isAwake()) {
            views.put(id, ClusterView.of(node.server()));
          }
        });
  }

  /** Asks the nodes, by their ids. */
  static ClusterViews ask(Map<String, RedisNode> nodes) {
    return new ClusterViews(nodes);
  }

  /** Who owns a slot, as the newest knowledge of it says; empty if nobody does. */
  Optional<RedisNode> ownerOf(int slot) {
    return entries()
        .filter(entry -> entry.slots().get(slot))
        .max(Comparator.comparingLong(Entry::epoch))
        .map(entry -> nodes.get(entry.id()));
  }

  /** Who owns slots, as the newest knowledge of each says. */
  List<RedisNode> owners() {
    Map<Integer, String> owners = new HashMap<>();
    entries()
        .sorted(Comparator.comparingLong(Entry::epoch))
        .forEach(entry -> entry.slots().stream().forEach(slot -> owners.put(slot, entry.id())));
    Set<String> distinct = new HashSet<>(owners.values());
    return choose(distinct::contains);
  }

  /** Who says that it is a replica of a node. */
  List<RedisNode> replicasOf(String master) {
    return choose(
        id -> {
          ClusterView view = views.get(id);
          return view != null && view.self().master().equals(master);
        });
  }

  /** Which nodes do not know each other yet. */
  List<String> strangers() {
    List<String> missing = new ArrayList<>();
    views.forEach(
        (id, view) -> {
          for (String other : nodes.keySet()) {
            if (!view.entry(other).map(Entry::isWell).orElse(false)) {
              missing.add(nodes.get(id) + " does not know " + nodes.get(other));
            }
          }
        });
    return missing;
  }

  /** Which nodes do not take the slots for those of the owner. */
  List<String> doubters(String owner, BitSet slots) {
    List<String> missing = new ArrayList<>();
    views.forEach(
        (id, view) -> {
          BitSet left = (BitSet) slots.clone();
          view.entry(owner).map(Entry::slots).ifPresent(left::andNot);
          if (!left.isEmpty()) {
            missing.add(
                "%s takes %d slots for those of others than %s"
                    .formatted(nodes.get(id), left.cardinality(), nodes.get(owner)));
          }
        });
    return missing;
  }

  /** What keeps the nodes that can be asked from agreeing on a cluster that works. */
  List<String> troubles() {
    List<String> missing = new ArrayList<>();
    if (views.isEmpty()) {
      missing.add("no node can be asked");
    }
    views.forEach((id, view) -> addTroubles(missing, id, view));
    return missing;
  }

  private void addTroubles(List<String> missing, String id, ClusterView view) {
    RedisNode node = Objects.requireNonNull(nodes.get(id));
    String state = Info.field(node.server(), "CLUSTER INFO", "cluster_state");
    if (!state.equals("ok")) {
      missing.add(node + " says the state is " + state);
    }
    nodes.forEach(
        (other, known) -> {
          boolean isAwake = views.containsKey(other);
          Predicate<Entry> expected = isAwake ? Entry::isWell : Entry::isFailed;
          if (view.entry(other).filter(expected).isEmpty()) {
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
      addTroublesOfReplica(missing, node, view);
    }
  }

  private void addTroublesOfReplica(List<String> missing, RedisNode node, ClusterView view) {
    String master = view.self().master();
    if (!views.containsKey(master)) {
      missing.add("%s follows %s".formatted(node, nodes.get(master)));
    }
    if (!Info.field(node.server(), "INFO replication", "master_link_status").equals("up")) {
      missing.add("%s hears nothing of %s".formatted(node, nodes.get(master)));
    }
    views.forEach(
        (id, other) -> {
          if (!other.entry(view.self().id()).map(Entry::master).orElse("").equals(master)) {
            missing.add("%s does not know whom %s follows".formatted(nodes.get(id), node));
          }
        });
  }

  private Stream<Entry> entries() {
    return views.values().stream().flatMap(view -> view.entries().values().stream());
  }

  private List<RedisNode> choose(Predicate<String> isWanted) {
    return nodes.entrySet().stream()
        .filter(node -> isWanted.test(node.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }
}
