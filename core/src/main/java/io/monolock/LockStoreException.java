// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.StoreFailure;
import java.util.Set;

/**
 * The store could not do what it was asked: look at Redis. The driver's own exception is the cause.
 */
public final class LockStoreException extends LockException {

  /** Why the store could not do what it was asked. */
  public enum Reason {
    /** No connection could be had; nothing was sent. */
    UNAVAILABLE,
    /** No answer in time to a call that changes nothing. */
    TIMEOUT,
    /**
     * The call was sent, and whether it took effect is not known: no answer came in time, or the
     * connection broke. What an acquisition may have taken is freed in the background.
     */
    UNKNOWN_OUTCOME,
    /** The server answered that it cannot do this now: loading, busy, read-only, out of memory. */
    SERVER_STATE,
    /** The server has too few replicas to accept or confirm a write. */
    NOT_REPLICATED,
    /**
     * The server refuses the user, the command or a certificate, or its own is refused: see the ACL
     * in the README.
     */
    PERMISSION,
    /** The request can never work as it stands: a key of another type, keys of several slots. */
    MISUSE
  }

  /** Why the store could not do it. */
  private final Reason reason;

  /** Whether it is worth trying again. */
  private final boolean isTransient;

  LockStoreException(Set<String> keys, String operation, StoreFailure failure) {
    super(
        keys,
        "could not " + operation + " " + keys + ": " + failure.getMessage(),
        failure.getCause() == null ? failure : failure.getCause(),
        true);
    this.reason = Reason.valueOf(failure.reason().name());
    this.isTransient = failure.isTransient();
  }

  /**
   * Why the store could not do what it was asked.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }

  /**
   * Whether the same call may succeed later.
   *
   * @return true if it is worth trying again
   */
  public boolean isTransient() {
    return isTransient;
  }
}
