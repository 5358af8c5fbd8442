// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.StoreFailure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why the keys of a line could not be acquired: the store's last answer decides, whether it says
 * that they are busy or that it cannot serve. A missing answer counts only if there never was one.
 */
final class LastAnswer {

  private boolean busy;
  private @Nullable Duration remaining;
  private long answeredAt;
  private @Nullable StoreFailure failure;
  private boolean answered;

  /**
   * Another holder has the keys.
   *
   * @param remaining for how long, null when for ever
   */
  synchronized void busy(long now, @Nullable Duration remaining) {
    this.busy = true;
    this.answered = true;
    this.answeredAt = now;
    this.remaining = remaining;
  }

  synchronized void failed(StoreFailure failure) {
    boolean isAnswer = isAnswer(failure);
    if (isAnswer || !answered) {
      this.failure = failure;
    }
    if (isAnswer) {
      this.answered = true;
      this.busy = false;
    }
  }

  private static boolean isAnswer(StoreFailure failure) {
    return switch (failure.reason()) {
      case UNAVAILABLE, TIMEOUT, UNKNOWN_OUTCOME -> false;
      case SERVER_STATE, NOT_REPLICATED, PERMISSION, MISUSE -> true;
    };
  }

  synchronized boolean isBusy() {
    return busy;
  }

  /** How long the keys are still held, as far as is known; null when for ever. */
  synchronized @Nullable Duration remaining(long now) {
    if (remaining == null) {
      return null;
    }
    Duration left = remaining.minusNanos(now - answeredAt);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** The trouble of the store, null when it answered busy or was not asked. */
  synchronized @Nullable StoreFailure failure() {
    return failure;
  }
}
