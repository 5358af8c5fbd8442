// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.LockKeys;
import java.util.Set;

/** The locker is closed or closing: this process is stopping, nothing more is locked by it. */
public final class LockerClosedException extends LockException {

  /**
   * For tests of code that handles it, and for lockers that wrap another one.
   *
   * @param keys the keys that were to be locked
   */
  public LockerClosedException(Set<String> keys) {
    super(
        keys, "the locker is closed, so nothing is locked for " + LockKeys.shown(keys), null, true);
  }
}
