// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.LockKeys;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The lock is no longer held: stop the work that it protects. */
public final class LockLostException extends LockException {

  /** How a lock came to be lost. */
  public enum Reason {
    /** Its deadline passed without a refresh: none was asked for, or it came too late. */
    EXPIRED("its ttl ended"),
    /**
     * The store says that a key is no longer ours: another holder has it, or it was deleted,
     * evicted, or lost in a fail-over.
     */
    TAKEN("a key is gone or another's"),
    /** Its deadline passed while the store could not be reached to refresh it. */
    UNREACHABLE("the store could not be reached to refresh it"),
    /**
     * Its deadline passed while the store answered that it does not refresh it; the cause says why:
     * the user or the command is refused, the server is read-only, a hash slot is half moved.
     */
    REFUSED("the store refused to refresh it"),
    /** Its deadline passed because {@link LockOptions#maxHold} allows no more refresh. */
    MAX_HOLD("it was held for as long as maxHold allows"),
    /** This handle was released. */
    RELEASED("it was released");

    /** Its words in the message. */
    private final String text;

    Reason(String text) {
      this.text = text;
    }
  }

  /** How the lock came to be lost. */
  private final Reason reason;

  /**
   * For tests of code that handles it, and for lockers that wrap another one.
   *
   * @param keys the keys of the lock
   * @param reason how it came to be lost
   */
  public LockLostException(Set<String> keys, Reason reason) {
    this(keys, reason, null);
  }

  /**
   * As {@link #LockLostException(Set, Reason)}, with what the last refresh failed with.
   *
   * @param keys the keys of the lock
   * @param reason how it came to be lost
   * @param cause why it could not be refreshed, null for any other reason
   */
  public LockLostException(Set<String> keys, Reason reason, @Nullable LockStoreException cause) {
    super(
        keys,
        "the lock on "
            + LockKeys.shown(keys)
            + " is lost, "
            + reason.text
            + ": stop the work that it protects",
        cause,
        true);
    this.reason = reason;
  }

  /**
   * How the lock came to be lost.
   *
   * @return the reason
   */
  public Reason reason() {
    return reason;
  }
}
