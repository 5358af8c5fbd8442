// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.report.Sample;

/** The work of a client until it is stopped. */
public interface Workload {

  /** Starts; returns when the preparations are done. */
  void start();

  /** A window begins. */
  void begin();

  /** The window ends. */
  void end();

  /**
   * The sample of the last window. May take long.
   *
   * @return the sample
   */
  Sample sample();

  /** Stops; returns when it has ended. */
  void stop();
}
