// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

/** How the library is broken on purpose, to show that the checker notices. */
enum Breakage {
  /** Not at all. */
  NONE,
  /** Handles trust their lease from the answer on, without any drift. */
  DEADLINE,
  /** A release deletes the keys whoever holds them. */
  TOKEN
}
