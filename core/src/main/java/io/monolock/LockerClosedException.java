// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.util.Set;

/** The locker is closed or closing: this process is stopping, nothing more is locked by it. */
public final class LockerClosedException extends LockException {

  LockerClosedException(Set<String> keys) {
    super(keys, "the locker is closed, so nothing is locked for " + keys, null, true);
  }
}
