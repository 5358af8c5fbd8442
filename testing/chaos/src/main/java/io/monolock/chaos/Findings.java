// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The findings of a checker.
 *
 * @param violations the broken guarantees
 * @param excused observations that a fail-over explains
 */
record Findings(List<Violation> violations, List<Excused> excused) {

  static final Findings NONE = new Findings(List.of(), List.of());

  /**
   * An observation that would be a violation without a fail-over that lost writes.
   *
   * @param violation the violation
   * @param failOver the fail-over
   */
  record Excused(Violation violation, LossyFailOver failOver) {}

  boolean isViolation() {
    return !violations.isEmpty();
  }

  static final class Builder {

    private final List<Violation> violations = new ArrayList<>();
    private final List<Excused> excused = new ArrayList<>();

    void addAll(List<Violation> found) {
      violations.addAll(found);
    }

    /**
     * Adds a violation, or excuses it.
     *
     * @param failOver the fail-over that explains it, if there is one
     */
    void add(Violation violation, Optional<LossyFailOver> failOver) {
      failOver.ifPresentOrElse(
          excuse -> excused.add(new Excused(violation, excuse)), () -> violations.add(violation));
    }

    Findings build() {
      return new Findings(List.copyOf(violations), List.copyOf(excused));
    }
  }
}
