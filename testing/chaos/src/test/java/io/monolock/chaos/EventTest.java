// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EventTest {

  static List<Event> events() {
    return List.of(
        new Event.Began(-1, "1-2-3", "SCOPE [a, b]"),
        new Event.Ended(2, "1-2-3", "io.monolock.LockLostException TAKEN"),
        new Event.Held(
            3, 2, "1-2-3", List.of("a", "b"), 4, 5, Event.Held.NEVER, 6, 7, true, false));
  }

  @ParameterizedTest
  @MethodSource("events")
  void isReadAsItWasWritten(Event event) {
    assertThat(Event.parse(event.line())).isEqualTo(event);
  }
}
