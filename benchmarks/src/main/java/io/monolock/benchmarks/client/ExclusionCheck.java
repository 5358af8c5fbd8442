// SPDX-License-Identifier: Apache-2.0
package io.monolock.benchmarks.client;

import java.nio.file.Path;

/**
 * Checks that one lock has one holder, in whatever process, without asking Redis: a holder puts its
 * number into a slot that must be empty, and removes it before it releases the lock.
 */
final class ExclusionCheck {

  private static final int HOLDER = 0;
  private static final int VIOLATIONS = 8;
  private static final int OWNERS = 32;
  private static final long NONE = 0;

  private final SharedLongs memory;

  ExclusionCheck(Path file) {
    memory = new SharedLongs(file);
  }

  /** A number that no other holder has. */
  long newOwner() {
    return memory.addAndGet(OWNERS, 1);
  }

  void enter(long owner) {
    if (!memory.compareAndSet(HOLDER, NONE, owner)) {
      memory.addAndGet(VIOLATIONS, 1);
    }
  }

  void leave(long owner) {
    if (!memory.compareAndSet(HOLDER, owner, NONE)) {
      memory.addAndGet(VIOLATIONS, 1);
    }
  }

  /** The count of violations of all processes. */
  long violations() {
    return memory.get(VIOLATIONS);
  }
}
