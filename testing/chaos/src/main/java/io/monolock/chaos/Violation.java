// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.Comparator;
import java.util.List;

/**
 * A guarantee that was broken.
 *
 * @param rule what should have been
 * @param events what was instead
 */
record Violation(String rule, List<CallEvent> events) {

  Violation {
    events = events.stream().sorted(Comparator.comparingLong(CallEvent::at)).toList();
  }
}
