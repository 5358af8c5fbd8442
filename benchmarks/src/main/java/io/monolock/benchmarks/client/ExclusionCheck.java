// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import java.nio.file.Path;

/**
 * Checks that one lock has one holder, in whatever process, without asking Redis: who gets the lock
 * puts its number into a slot that must be empty, and takes it out before the lock is given back.
 */
final class ExclusionCheck {

  private static final int HOLDER = 0;
  private static final int VIOLATIONS = 8;
  private static final int OWNERS = 32;
  private static final long NOBODY = 0;

  private final SharedLongs memory;

  ExclusionCheck(Path file) {
    memory = new SharedLongs(file);
  }

  /** A number that nobody else has. */
  long newOwner() {
    return memory.addAndGet(OWNERS, 1);
  }

  void enter(long owner) {
    if (!memory.compareAndSet(HOLDER, NOBODY, owner)) {
      memory.addAndGet(VIOLATIONS, 1);
    }
  }

  void leave(long owner) {
    if (!memory.compareAndSet(HOLDER, owner, NOBODY)) {
      memory.addAndGet(VIOLATIONS, 1);
    }
  }

  /** How often it was broken, by all processes together. */
  long violations() {
    return memory.get(VIOLATIONS);
  }
}
