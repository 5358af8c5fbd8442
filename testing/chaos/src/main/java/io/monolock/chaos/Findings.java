// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is not as it would be without any faults.
 *
 * @param violations which guarantees were broken
 * @param excused what looks like it, and is what a fail-over may do
 */
record Findings(List<Violation> violations, List<Excused> excused) {

  static final Findings NONE = new Findings(List.of(), List.of());

  /**
   * What would be a violation, were it not for a fail-over that lost writes.
   *
   * @param violation what it would be
   * @param loss the fail-over
   */
  record Excused(Violation violation, LossyFailOver loss) {}

  boolean isViolation() {
    return !violations.isEmpty();
  }

  /** What is found bit by bit. */
  static final class Builder {

    private final List<Violation> violations = new ArrayList<>();
    private final List<Excused> excused = new ArrayList<>();

    void addAll(List<Violation> found) {
      violations.addAll(found);
    }

    /**
     * Adds one that a loss may explain.
     *
     * @param loss the one that does, if there is any
     */
    void add(Violation violation, Optional<LossyFailOver> loss) {
      loss.ifPresentOrElse(
          excuse -> excused.add(new Excused(violation, excuse)), () -> violations.add(violation));
    }

    Findings build() {
      return new Findings(List.copyOf(violations), List.copyOf(excused));
    }
  }
}
