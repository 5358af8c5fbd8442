// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.time.Duration;

/** One kind of thing that can go wrong. */
interface Fault {

  /**
   * Begins it, unless it makes no sense now, tells the nemesis, and leaves with it how it ends.
   *
   * @param nemesis who does it
   * @param number whom it befalls, of those that it can befall
   * @param time for how long
   */
  void begin(FaultInjector nemesis, int number, Duration time);
}
