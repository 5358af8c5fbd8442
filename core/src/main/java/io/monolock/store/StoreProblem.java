// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

/**
 * What an error says of a store that could not do what it was asked: a {@link StoreFailure} to the
 * locker, and a {@code LockStoreException} to the locker's users.
 */
public interface StoreProblem {

  /** Why a store could not do what it was asked. */
  enum Reason {
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
     * The server refuses the user, the command or a certificate, or its own is refused: see the
     * users of Redis in docs/operations.md.
     */
    PERMISSION,
    /** The request can never work as it stands: a key of another type, keys of several slots. */
    MISUSE
  }

  /**
   * Why the store could not do what it was asked.
   *
   * @return the reason
   */
  Reason reason();

  /**
   * Whether the same call may succeed later.
   *
   * @return true if it is worth trying again
   */
  boolean isTransient();
}
