// SPDX-License-Identifier: Apache-2.0
package io.monolock.micrometer;

import io.monolock.LockNotAcquiredException;
import io.monolock.LockStoreException;
import io.monolock.LockerClosedException;

/** How an acquisition ended. */
enum Outcome {
  GRANTED(false),
  /**
   * By a single attempt, or because others wait: no error, as a caller that does not wait expects
   * it.
   */
  REFUSED(false),
  TIMED_OUT(true),
  CANCELLED(false),
  STORE_TROUBLE(true),
  CLOSED(true),
  /** With an error of the retry spec. */
  FAILED(true);

  /** Whether traces show it as an error. */
  final boolean isError;

  Outcome(boolean isError) {
    this.isError = isError;
  }

  static Outcome of(Throwable reason, boolean hasWaited) {
    if (reason instanceof LockNotAcquiredException busy) {
      return busy.isCancelled() ? CANCELLED : hasWaited ? TIMED_OUT : REFUSED;
    }
    if (reason instanceof LockStoreException) {
      return STORE_TROUBLE;
    }
    return reason instanceof LockerClosedException ? CLOSED : FAILED;
  }
}
