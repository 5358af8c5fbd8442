// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

/** How a hold ended. */
enum HoldEnd {
  RELEASED,
  /** The release found that the keys were gone, or got no answer. */
  NOT_OURS,
  LOST
}
