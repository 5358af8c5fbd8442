// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

/** How the library is broken on purpose, to show that the checker notices. */
enum Breakage {
  /** Not at all. */
  NONE,
  /** Handles count their lease from the answer, without allowance for drift. */
  DEADLINE,
  /** A release deletes the keys even of another holder. */
  TOKEN
}
