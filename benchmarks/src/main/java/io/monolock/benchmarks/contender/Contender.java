// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.contender;

import java.util.List;

/** One way to lock, with the connections that it needs, as a program would use it. */
public interface Contender extends AutoCloseable {

  /**
   * Somebody who takes the lock on some keys, again and again, one turn after the other.
   *
   * @param keys the keys; never more than one at a time for those who know no other
   * @param owner a number that no other caller of this process has
   * @return the caller
   */
  Caller caller(List<String> keys, long owner);

  /** Closes the connections. */
  @Override
  void close();
}
