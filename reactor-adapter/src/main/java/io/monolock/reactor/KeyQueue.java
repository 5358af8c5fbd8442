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
 * Which elements may be in work: one at a time of each key, in the order in which they were added,
 * and at most {@code limit} in all. Thread-safe; {@code start} is called outside of the monitor.
 */
final class KeyQueue<T> {

  /** An element and its key. */
  record KeyedElement<T>(String key, T element) {}

  private final int limit;
  private final Consumer<KeyedElement<T>> start;

  /** Of each key the elements that have not finished; the first one is running or ready. */
  private final Map<String, Queue<KeyedElement<T>>> byKey = new HashMap<>(); // guarded by this

  private final Queue<KeyedElement<T>> ready = new ArrayDeque<>(); // guarded by this
  private int running; // guarded by this

  KeyQueue(int limit, Consumer<KeyedElement<T>> start) {
    this.limit = limit;
    this.start = start;
  }

  void add(KeyedElement<T> element) {
    synchronized (this) {
      Queue<KeyedElement<T>> sameKey =
          byKey.computeIfAbsent(element.key(), key -> new ArrayDeque<>(2));
      sameKey.add(element);
      if (sameKey.size() == 1) {
        ready.add(element);
      }
    }
    startReady();
  }

  void finished(KeyedElement<T> element) {
    synchronized (this) {
      running--;
      Queue<KeyedElement<T>> sameKey = byKey.get(element.key());
      if (sameKey != null) {
        sameKey.remove();
        KeyedElement<T> next = sameKey.peek();
        if (next == null) {
          byKey.remove(element.key());
        } else {
          ready.add(next);
        }
      }
    }
    startReady();
  }

  /** Starts no further element; gives those that were not started. */
  synchronized List<T> close() {
    Stream<KeyedElement<T>> waiting =
        byKey.values().stream().flatMap(sameKey -> sameKey.stream().skip(1));
    List<T> dropped = Stream.concat(ready.stream(), waiting).map(KeyedElement::element).toList();
    byKey.clear();
    ready.clear();
    return dropped;
  }

  private void startReady() {
    for (KeyedElement<T> next = next(); next != null; next = next()) {
      start.accept(next);
    }
  }

  private synchronized @Nullable KeyedElement<T> next() {
    KeyedElement<T> next = running < limit ? ready.poll() : null;
    if (next != null) {
      running++;
    }
    return next;
  }
}
