// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.store.LockStore;
import java.time.Duration;

/**
 * Notices that the store has answered nothing at all for as long as a command may take, though it
 * was asked, and tells it so. One slow answer among others is no silence.
 */
final class Silence {

  private static final long NONE = Long.MIN_VALUE;

  private final LockStore store;
  private final Wheel wheel;
  private final long longest;

  private volatile long heardAt;
  private volatile long since = NONE;

  Silence(LockStore store, Wheel wheel, Duration longest) {
    this.store = store;
    this.wheel = wheel;
    this.longest = longest.toNanos();
    this.heardAt = wheel.now();
  }

  /** The store has answered something, be it a failure. */
  void heard() {
    heardAt = wheel.now();
    since = NONE;
  }

  /** What was asked at that time is still unanswered, and somebody does not want to wait longer. */
  void overdue(long askedAt) {
    if (heardAt - askedAt > 0) {
      return;
    }
    if (since == NONE) {
      since = askedAt;
    }
    if (wheel.now() - since >= longest) {
      since = NONE;
      store.silent();
    }
  }
}
