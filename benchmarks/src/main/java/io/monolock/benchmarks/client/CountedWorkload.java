// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

/** A workload without pauses whose progress can be read. */
public interface CountedWorkload extends Workload {

  /**
   * The progress.
   *
   * @return the operations since it was started
   */
  long operations();
}
