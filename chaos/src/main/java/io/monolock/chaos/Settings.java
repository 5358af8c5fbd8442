// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.util.List;

/**
 * What one run does.
 *
 * @param seconds how long the faults go on
 * @param seed what all that is random begins with
 * @param clients how many JVMs
 * @param workers how many in each JVM
 * @param breakage how the library is broken
 */
record Settings(int seconds, long seed, int clients, int workers, Breakage breakage) {

  /** Few, so that the workers get in each other's way. */
  static final List<String> KEYS = List.of("chaos:a", "chaos:b", "chaos:c", "chaos:d");
}
