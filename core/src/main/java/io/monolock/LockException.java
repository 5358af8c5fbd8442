// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The root of all errors that a locker signals. There is one subclass for each decision of the
 * caller: try later, stop the work, look at Redis, we are stopping.
 */
public abstract sealed class LockException extends RuntimeException
    permits LockNotAcquiredException, LockLostException, LockStoreException, LockerClosedException {

  /** What was to be locked, or was. */
  private final Set<String> keys;

  LockException(
      Set<String> keys, String message, @Nullable Throwable cause, boolean writableStackTrace) {
    super(message, cause, true, writableStackTrace);
    this.keys = keys;
  }

  /**
   * What was to be locked, or was.
   *
   * @return the keys, distinct and sorted; immutable
   */
  public final Set<String> keys() {
    return keys;
  }
}
