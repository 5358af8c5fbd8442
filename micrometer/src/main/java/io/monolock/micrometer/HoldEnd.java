// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

/** How the time of holding a lock ended. */
enum HoldEnd {
  RELEASED,
  /** The release found that the keys were gone, or never got an answer. */
  NOT_OURS,
  LOST
}
