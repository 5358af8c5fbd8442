// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is: one at a time of each key, in the order in which they came, and so many in all.
 * Safe for use by several threads; {@code begin} is called without a lock.
 */
final class KeyQueue<T> {

  /** An element and its key. */
  record Turn<T>(String key, T element) {}

  private final int most;
  private final Consumer<Turn<T>> begin;

  /** Of each key those who have come and not ended; the first is running or ready. */
  private final Map<String, Queue<Turn<T>>> lines = new HashMap<>(); // guarded by this

  private final Queue<Turn<T>> ready = new ArrayDeque<>(); // guarded by this
  private int running; // guarded by this

  KeyQueue(int most, Consumer<Turn<T>> begin) {
    this.most = most;
    this.begin = begin;
  }

  void come(Turn<T> turn) {
    synchronized (this) {
      Queue<Turn<T>> line = lines.computeIfAbsent(turn.key(), key -> new ArrayDeque<>(2));
      line.add(turn);
      if (line.size() == 1) {
        ready.add(turn);
      }
    }
    beginWhoMay();
  }

  void end(Turn<T> turn) {
    synchronized (this) {
      running--;
      Queue<Turn<T>> line = lines.get(turn.key());
      if (line != null) {
        line.remove();
        Turn<T> next = line.peek();
        if (next == null) {
          lines.remove(turn.key());
        } else {
          ready.add(next);
        }
      }
    }
    beginWhoMay();
  }

  /** Nobody gets a turn any more; gives the elements that had none. */
  synchronized List<T> close() {
    Stream<Turn<T>> behind = lines.values().stream().flatMap(line -> line.stream().skip(1));
    List<T> left = Stream.concat(ready.stream(), behind).map(Turn::element).toList();
    lines.clear();
    ready.clear();
    return left;
  }

  private void beginWhoMay() {
    for (Turn<T> next = next(); next != null; next = next()) {
      begin.accept(next);
    }
  }

  private synchronized @Nullable Turn<T> next() {
    Turn<T> next = running < most ? ready.poll() : null;
    if (next != null) {
      running++;
    }
    return next;
  }
}
