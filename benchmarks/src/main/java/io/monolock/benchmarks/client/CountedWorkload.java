// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

/** Work that goes on without a pause, and whose progress can be watched. */
public interface CountedWorkload extends Workload {

  /**
   * How far it is.
   *
   * @return the operations since it was started
   */
  long operations();
}
