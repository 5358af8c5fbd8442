// SPDX-License-Identifier: Apache-2.0
package io.monolock.test;

import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The nodes of a cluster as one of them sees them, by their ids. */
record ClusterView(Map<String, NodeLine> lines) {

  static final int SLOTS = 16_384;

  private static final Pattern SLOT_RANGE = Pattern.compile("(\\d+)(?:-(\\d+))?");
  private static final Pattern MOVING_SLOT = Pattern.compile("\\[(\\d+)-[<>]-.*");

  /** A line of {@code CLUSTER NODES}. */
  record NodeLine(
      String id,
      Set<String> flags,
      String master,
      long epoch,
      boolean isConnected,
      List<String> slotWords) {

    static NodeLine parse(String line) {
      List<String> words = List.of(line.split(" "));
      return new NodeLine(
          words.get(0),
          Set.of(words.get(2).split(",")),
          words.get(3),
          Long.parseLong(words.get(6)),
          words.get(7).equals("connected"),
          words.subList(8, words.size()));
    }

    boolean isSelf() {
      return flags.contains("myself");
    }

    boolean isMaster() {
      return flags.contains("master");
    }

    boolean isFailed() {
      return flags.contains("fail");
    }

    /** Whether the node is connected and not suspected of a failure. */
    boolean isWell() {
      return (isSelf() || isConnected)
          && Stream.of("fail", "fail?", "handshake", "noaddr").noneMatch(flags::contains);
    }

    BitSet slots() {
      BitSet slots = new BitSet(SLOTS);
      for (String word : slotWords) {
        Matcher range = SLOT_RANGE.matcher(word);
        if (range.matches()) {
          int first = Integer.parseInt(range.group(1));
          int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
          slots.set(first, last + 1);
        }
      }
      return slots;
    }

    /** The slots that migrate to this node or away from it; a node reports its own only. */
    List<Integer> movingSlots() {
      return slotWords.stream()
          .map(MOVING_SLOT::matcher)
          .filter(Matcher::matches)
          .map(slot -> Integer.valueOf(slot.group(1)))
          .toList();
    }
  }

  static ClusterView of(RedisServer server) {
    return parse(Objects.requireNonNull(server.commandAsString("CLUSTER", "NODES")));
  }

  static ClusterView parse(String reply) {
    return new ClusterView(
        reply
            .lines()
            .map(NodeLine::parse)
            .collect(Collectors.toUnmodifiableMap(NodeLine::id, Function.identity())));
  }

  NodeLine self() {
    return lines.values().stream().filter(NodeLine::isSelf).findFirst().orElseThrow();
  }

  Optional<NodeLine> line(String id) {
    return Optional.ofNullable(lines.get(id));
  }

  Optional<NodeLine> ownerOf(int slot) {
    return lines.values().stream().filter(line -> line.slots().get(slot)).findFirst();
  }

  /** The slots of each owner, by its id. */
  Map<String, BitSet> owned() {
    return lines.values().stream()
        .filter(line -> !line.slots().isEmpty())
        .collect(Collectors.toUnmodifiableMap(NodeLine::id, NodeLine::slots));
  }
}
