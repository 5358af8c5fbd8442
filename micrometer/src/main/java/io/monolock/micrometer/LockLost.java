// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.monolock.LockLostException;

/** The error of an observation whose lock was lost; it is never thrown. */
final class LockLost extends RuntimeException {

  LockLost(LockLostException.Reason reason) {
    super("the lock was lost: " + TagValues.of(reason), null, false, false);
  }
}
