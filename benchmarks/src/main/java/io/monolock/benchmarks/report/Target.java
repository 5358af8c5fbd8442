// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.List;
import java.util.Locale;

/**
 * A target for a figure.
 *
 * @param what the figure
 * @param measured what it was; NaN if it was not measured
 * @param bound on which side of the limit it has to be
 * @param limit the limit
 */
public record Target(String what, double measured, Bound bound, double limit) {

  private static final double MANY = 2;

  /** A side of a limit. */
  public enum Bound {
    /** Below or equal. */
    AT_MOST,
    /** Above or equal. */
    AT_LEAST
  }

  /**
   * A figure with an upper limit.
   *
   * @param what the figure
   * @param measured what it was
   * @param limit the limit
   * @return the target
   */
  public static Target atMost(String what, double measured, double limit) {
    return new Target(what, measured, Bound.AT_MOST, limit);
  }

  /**
   * A figure with a lower limit.
   *
   * @param what the figure
   * @param measured what it was
   * @param limit the limit
   * @return the target
   */
  public static Target atLeast(String what, double measured, double limit) {
    return new Target(what, measured, Bound.AT_LEAST, limit);
  }

  /**
   * Whether the figure is as it has to be.
   *
   * @return false also if it was not measured
   */
  public boolean isMet() {
    return bound == Bound.AT_MOST ? measured <= limit : measured >= limit;
  }

  /**
   * The cells of a row: figure, limit, measured, result.
   *
   * @return four texts
   */
  public List<String> row() {
    return List.of(
        what,
        (bound == Bound.AT_MOST ? "at most " : "at least ") + number(limit),
        Double.isNaN(measured) ? "" : number(measured),
        result());
  }

  private String result() {
    if (Double.isNaN(measured)) {
      return "not measured";
    }
    if (isMet()) {
      return "met";
    }
    double off = Math.abs(measured - limit) / limit;
    if (limit == 0) {
      return "**missed** by " + number(measured);
    }
    return bound == Bound.AT_MOST && off > MANY
        ? "**missed**, " + number(measured / limit) + "-fold"
        : String.format(Locale.ROOT, "**missed** by %.0f %%", 100 * off);
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, Math.abs(value) < 100 ? "%,.3f" : "%,.0f", value)
        .replaceFirst("(\\.\\d*?)0+$", "$1")
        .replaceFirst("\\.$", "");
  }
}
