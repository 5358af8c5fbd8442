// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.report;

import java.util.Locale;

/** The metrics, with their titles and the digits that are significant. */
public enum Metric {
  /** Operations in the window. */
  OPERATIONS("operations", 0),
  /** Operations in each second. */
  RATE("per second", 0),
  /** Of the server, for each operation. */
  SERVER_CPU("server CPU us", 2),
  /** Of the client, for each operation. */
  CLIENT_CPU("client CPU us", 2),
  /** Of {@code total_commands_processed}, calls made in scripts included, for each operation. */
  COMMANDS("commands", 2),
  /** Scripts called by clients, for each operation. */
  SCRIPTS("scripts", 2),
  /** Allocated by the client, for each operation. */
  BYTES("bytes", 0),
  /** The median. */
  P50("p50 us", 1),
  /** Exceeded by one in a hundred. */
  P99("p99 us", 0),
  /** The longest. */
  MAX("max us", 0),
  /** The average. */
  MEAN("mean us", 1),
  /** The longest wait in means. */
  MAX_TO_MEAN("max / mean", 2),
  /** Waiters that a later one overtook, counted once for each later one. */
  OVERTAKEN("overtaken", 0),
  /** Locks with two holders. */
  VIOLATIONS("exclusion broken", 0),
  /** Operations that ended with an error. */
  FAILURES("failures", 0),
  /** Commands at the server in each second. */
  COMMAND_RATE("commands/s", 2),
  /** Of the server, in cores. */
  SERVER_CORES("server cores", 3),
  /** Of all clients together, in cores. */
  CLIENT_CORES("client cores", 3),
  /** The share of the process with the fewest operations, in percent. */
  LEAST_SHARE("least share %", 1),
  /** The share of the process with the most operations, in percent. */
  LARGEST_SHARE("largest share %", 1),
  /** Locks that are held, or callers that wait. */
  HELD("held or waiting", 0),
  /** Locks that were lost. */
  LOST("lost", 0),
  /** Of the client, for each lock. */
  HEAP("heap bytes", 0);

  private final String title;
  private final int digits;

  Metric(String title, int digits) {
    this.title = title;
    this.digits = digits;
  }

  /**
   * The title in tables.
   *
   * @return the name, with the unit if there is one
   */
  public String title() {
    return title;
  }

  /**
   * Writes a value.
   *
   * @param value the value
   * @return the text
   */
  public String format(double value) {
    return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%,." + digits + "f", value);
  }
}
