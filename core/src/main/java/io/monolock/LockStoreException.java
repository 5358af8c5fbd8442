// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.StoreProblem;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The store could not do what it was asked: look at Redis. The driver's own exception is the cause.
 */
public final class LockStoreException extends LockException implements StoreProblem {

  /** Why the store could not do it. */
  private final Reason reason;

  /** Whether it is worth trying again. */
  private final boolean isTransient;

  /**
   * For tests of code that handles it, and for lockers that wrap another one.
   *
   * @param keys the keys that were to be locked, or are
   * @param reason why the store could not do what it was asked
   * @param isTransient whether the same call may succeed later
   * @param message what could not be done, and what to do about it
   * @param cause the driver's own exception, or null
   */
  public LockStoreException(
      Set<String> keys,
      Reason reason,
      boolean isTransient,
      String message,
      @Nullable Throwable cause) {
    super(keys, message, cause, true);
    this.reason = reason;
    this.isTransient = isTransient;
  }

  /**
   * Why the store could not do what it was asked.
   *
   * @return the reason
   */
  @Override
  public Reason reason() {
    return reason;
  }

  /**
   * Whether the same call may succeed later.
   *
   * @return true if it is worth trying again
   */
  @Override
  public boolean isTransient() {
    return isTransient;
  }
}
