// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import org.jspecify.annotations.Nullable;

/**
 * How a {@link LockStore} fails: why, and whether it is worth trying again. The engine makes a
 * {@code LockStoreException} of it, with the keys and the operation.
 */
public final class StoreFailure extends RuntimeException {

  /** Why a store could not do what it was asked. */
  public enum Reason {
    /** No connection could be had; nothing was sent. */
    UNAVAILABLE,
    /** No answer in time to a call that changes nothing. */
    TIMEOUT,
    /** The call was sent, and whether it took effect is not known. */
    UNKNOWN_OUTCOME,
    /** The server answered that it cannot do this now. */
    SERVER_STATE,
    /** The server has too few replicas to accept or confirm a write. */
    NOT_REPLICATED,
    /** The server refuses the user, the command or a certificate, or its own is refused. */
    PERMISSION,
    /** The request can never work as it stands: a wrong type, keys of several slots. */
    MISUSE
  }

  /** Why the store failed. */
  private final Reason reason;

  /** Whether it is worth trying again. */
  private final boolean isTransient;

  /**
   * A failure of a store.
   *
   * @param reason why
   * @param isTransient whether the same call may succeed later
   * @param message what happened and what to do, without secrets
   * @param cause the driver's own exception, or null
   */
  public StoreFailure(
      Reason reason, boolean isTransient, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.reason = reason;
    this.isTransient = isTransient;
  }

  /**
   * Why the store failed.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }

  /**
   * Whether it is worth trying again.
   *
   * @return true if the same call may succeed later
   */
  public boolean isTransient() {
    return isTransient;
  }
}
