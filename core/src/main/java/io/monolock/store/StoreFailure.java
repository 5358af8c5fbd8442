// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import org.jspecify.annotations.Nullable;

/**
 * The only failure of a {@link LockStore}: why the call failed, and whether it is worth trying
 * again. The engine turns it into a {@code LockStoreException}, which adds the keys and the
 * operation.
 */
public final class StoreFailure extends RuntimeException implements StoreProblem {

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
  @Override
  public Reason reason() {
    return reason;
  }

  /**
   * Whether it is worth trying again.
   *
   * @return true if the same call may succeed later
   */
  @Override
  public boolean isTransient() {
    return isTransient;
  }

  /**
   * Whether the failed call may have taken effect all the same. Then keys that it was to take may
   * be taken, and have to be released.
   *
   * @return true if the reason leaves the outcome open
   */
  public boolean isInDoubt() {
    return switch (reason) {
      case TIMEOUT, UNKNOWN_OUTCOME, NOT_REPLICATED -> true;
      case UNAVAILABLE, SERVER_STATE, PERMISSION, MISUSE -> false;
    };
  }
}
