// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.chaos.Event.Began;
import io.monolock.chaos.Event.Ended;
import io.monolock.chaos.Event.Held;
import java.util.ArrayList;
import java.util.List;

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
