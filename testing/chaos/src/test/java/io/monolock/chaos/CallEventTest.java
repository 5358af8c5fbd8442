// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CallEventTest {

  static List<CallEvent> events() {
    return List.of(
        new CallEvent.CallBegan(-1, "1-2-3", "SCOPE [a, b]"),
        new CallEvent.CallEnded(2, "1-2-3", "io.monolock.LockLostException TAKEN"),
        new CallEvent.HandleHeld(
            3, 2, "1-2-3", List.of("a", "b"), 4, 5, CallEvent.HandleHeld.NEVER, 6, 7, true, false));
  }

  @ParameterizedTest
  @MethodSource("events")
  void isReadAsItWasWritten(CallEvent event) {
    assertThat(CallEvent.parse(event.line())).isEqualTo(event);
  }
}
