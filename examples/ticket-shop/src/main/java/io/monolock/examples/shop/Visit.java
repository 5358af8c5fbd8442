// SPDX-License-Identifier: Apache-2.0
package io.monolock.examples.shop;

import java.time.Duration;

/**
 * How one buyer fared.
 *
 * @param end how it ended
 * @param refusals how often the shop said 423: locked, come back later
 * @param took until the end
 */
public record Visit(End end, int refusals, Duration took) {

  /** How a visit ends. */
  public enum End {
    /** With a ticket. */
    SERVED,
    /** There was no seat left. */
    SOLD_OUT,
    /** After as many refusals as a buyer bears. */
    REFUSED,
    /** The buyer hung up while the shop was working for them. */
    LEFT,
    /** Anything else, which should not happen. */
    FAILED
  }
}
