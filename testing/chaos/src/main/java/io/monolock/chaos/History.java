// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.chaos.Event.Began;
import io.monolock.chaos.Event.Ended;
import io.monolock.chaos.Event.Held;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** All that the workers of all clients wrote down so far. */
final class History {

  private final List<Began> began = new ArrayList<>();
  private final List<Ended> ended = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();

  static History of(Event... events) {
    History history = new History();
    List.of(events).forEach(history::add);
    return history;
  }

  synchronized void add(Event event) {
    if (event instanceof Began e) {
      began.add(e);
    } else if (event instanceof Ended e) {
      ended.add(e);
    } else if (event instanceof Held e) {
      held.add(e);
    }
  }

  /** Adds to the events all that is known of their calls. */
  synchronized List<Event> withContext(List<Event> events) {
    Set<Event> all = new LinkedHashSet<>(events);
    Set<String> calls = events.stream().map(Event::call).collect(Collectors.toSet());
    Stream.of(began, ended, held)
        .flatMap(List::stream)
        .filter(event -> calls.contains(event.call()))
        .forEach(all::add);
    return all.stream().sorted(Comparator.comparingLong(Event::at)).toList();
  }

  synchronized List<Began> began() {
    return List.copyOf(began);
  }

  synchronized List<Ended> ended() {
    return List.copyOf(ended);
  }

  synchronized List<Held> held() {
    return List.copyOf(held);
  }
}
