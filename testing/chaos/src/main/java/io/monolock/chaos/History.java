// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.chaos.CallEvent.CallBegan;
import io.monolock.chaos.CallEvent.CallEnded;
import io.monolock.chaos.CallEvent.HandleHeld;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The events of all workers of all clients so far. */
final class History {

  private final List<CallBegan> began = new ArrayList<>();
  private final List<CallEnded> ended = new ArrayList<>();
  private final List<HandleHeld> held = new ArrayList<>();

  static History of(CallEvent... events) {
    History history = new History();
    List.of(events).forEach(history::add);
    return history;
  }

  synchronized void add(CallEvent event) {
    if (event instanceof CallBegan e) {
      began.add(e);
    } else if (event instanceof CallEnded e) {
      ended.add(e);
    } else if (event instanceof HandleHeld e) {
      held.add(e);
    }
  }

  /** Adds all other events of the same calls. */
  synchronized List<CallEvent> withContext(List<CallEvent> events) {
    Set<CallEvent> all = new LinkedHashSet<>(events);
    Set<String> calls = events.stream().map(CallEvent::call).collect(Collectors.toSet());
    Stream.of(began, ended, held)
        .flatMap(List::stream)
        .filter(event -> calls.contains(event.call()))
        .forEach(all::add);
    return all.stream().sorted(Comparator.comparingLong(CallEvent::at)).toList();
  }

  synchronized List<CallBegan> began() {
    return List.copyOf(began);
  }

  synchronized List<CallEnded> ended() {
    return List.copyOf(ended);
  }

  synchronized List<HandleHeld> held() {
    return List.copyOf(held);
  }
}
