// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

/**
 * Why a call of a store failed, and whether the same call may succeed later. Implemented by the two
 * errors that say so: {@link StoreFailure}, which a store signals to the locker, and {@code
 * LockStoreException}, which the locker signals to its callers.
 */
public interface StoreProblem {

  /** Why a call of a store failed. */
  enum Reason {
    /** There was no connection; nothing was sent. */
    UNAVAILABLE,
    /** A call that changes nothing got no answer in time. */
    TIMEOUT,
    /**
     * The call was sent, and whether it took effect is unknown: no answer came in time, or the
     * connection was lost. Keys that an acquisition may have taken are released in the background.
     */
    UNKNOWN_OUTCOME,
    /**
     * The server answered that it cannot run the call now: loading, busy, read-only, out of memory.
     */
    SERVER_STATE,
    /** The server has too few replicas to accept or confirm a write. */
    NOT_REPLICATED,
    /**
     * The server refuses the user, the command or the client's certificate, or the client refuses
     * the certificate of the server: see the users of Redis in docs/operations.md.
     */
    PERMISSION,
    /** The call can never succeed as it is: a key of another type, keys of several hash slots. */
    MISUSE
  }

  /**
   * Why the call failed.
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
