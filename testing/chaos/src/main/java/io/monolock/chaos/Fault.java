// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import java.time.Duration;

/** A kind of fault. */
interface Fault {

  /**
   * Begins the fault, unless it cannot happen now, reports it to the injector, and schedules its
   * end there.
   *
   * @param injector the injector
   * @param number a random number below the count of proxies, which selects the target
   * @param time the duration
   */
  void begin(FaultInjector injector, int number, Duration time);
}
