// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import java.util.List;

/** A way to lock, with the connections that it needs, as a program would use it. */
public interface Contender extends AutoCloseable {

  /**
   * Creates a caller of the lock on some keys.
   *
   * @param keys the keys; one only, if the contender does not support more
   * @param owner a number that no other caller of this process has
   * @return the caller
   */
  Caller caller(List<String> keys, long owner);

  /** Closes the connections. */
  @Override
  void close();
}
