// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.Comparator;
import java.util.List;

/**
 * A broken guarantee.
 *
 * @param rule the guarantee
 * @param events the events that break it
 */
record Violation(String rule, List<CallEvent> events) {

  Violation {
    events = events.stream().sorted(Comparator.comparingLong(CallEvent::at)).toList();
  }
}
