// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import io.monolock.benchmarks.report.Sample;

/** What a client does until it is stopped. */
public interface Workload {

  /** Starts; returns when all that is needed first is done. */
  void start();

  /** A window begins. */
  void begin();

  /** The window ends. */
  void end();

  /**
   * What the last window showed. May take its time.
   *
   * @return the sample
   */
  Sample sample();

  /** Stops; returns when it is over. */
  void stop();
}
