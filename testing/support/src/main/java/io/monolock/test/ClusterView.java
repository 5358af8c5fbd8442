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

/** What one node of a cluster knows of all of them, by their ids. */
record ClusterView(Map<String, Entry> entries) {

  static final int SLOTS = 16_384;

  private static final Pattern SLOT_RANGE = Pattern.compile("(\\d+)(?:-(\\d+))?");
  private static final Pattern MOVING_SLOT = Pattern.compile("\\[(\\d+)-[<>]-.*");

  /** A line of {@code CLUSTER NODES}. */
  record Entry(
      String id,
      Set<String> flags,
      String master,
      long epoch,
      boolean isConnected,
      List<String> slotWords) {

    static Entry parse(String line) {
      List<String> words = List.of(line.split(" "));
      return new Entry(
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

    /** Whether the node is thought to be well. */
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

    /** The slots that are on their way to this node or away from it; known of itself only. */
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
            .map(Entry::parse)
            .collect(Collectors.toUnmodifiableMap(Entry::id, Function.identity())));
  }

  Entry self() {
    return entries.values().stream().filter(Entry::isSelf).findFirst().orElseThrow();
  }

  Optional<Entry> entry(String id) {
    return Optional.ofNullable(entries.get(id));
  }

  Optional<Entry> ownerOf(int slot) {
    return entries.values().stream().filter(entry -> entry.slots().get(slot)).findFirst();
  }

  /** Which slots belong to whom. */
  Map<String, BitSet> owned() {
    return entries.values().stream()
        .filter(entry -> !entry.slots().isEmpty())
        .collect(Collectors.toUnmodifiableMap(Entry::id, Entry::slots));
  }
}
