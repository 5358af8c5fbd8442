// SPDX-License-Identifier: Apache-2.0
package io.monolock.engine;

import io.monolock.store.LockKeys;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.Disposable;

/**
 * The subscription of one line to the store's wake-ups, from the first refusal to its end. One that
 * the store ends is followed by another one at the next refusal.
 */
final class LineWakeUps {

  /** Called with each wake-up. */
  interface Listener {
    /**
     * The keys may be free.
     *
     * @param toRepeat whether wake-ups only begin to flow: the last attempt, made before that, is
     *     repeated and does not count again
     */
    void wake(boolean toRepeat);
  }

  private static final Logger LOG = LoggerFactory.getLogger(LineWakeUps.class);

  private final LockerContext locker;
  private final LockKeys keys;
  private final Listener listener;
  private boolean isStarted; // guarded by this
  private boolean isStopped; // guarded by this
  private boolean isFlowing; // guarded by this
  private boolean isTroubled; // guarded by this
  private @Nullable Disposable subscription; // guarded by this

  LineWakeUps(LockerContext locker, LockKeys keys, Listener listener) {
    this.locker = locker;
    this.keys = keys;
    this.listener = listener;
  }

  void start() {
    synchronized (this) {
      if (isStarted || isStopped) {
        return;
      }
      isStarted = true;
    }
    Disposable subscription;
    try {
      subscription =
          locker.store.wakeUps(keys).subscribe(any -> wake(), this::ended, () -> ended(null));
    } catch (Throwable e) {
      ended(e);
      return;
    }
    synchronized (this) {
      this.subscription = subscription;
      if (!isStopped) {
        return;
      }
    }
    subscription.dispose();
  }

  /** The store has ended the wake-ups, which it says once for a line. */
  private void ended(@Nullable Throwable problem) {
    boolean isFirst;
    synchronized (this) {
      isFirst = !isTroubled;
      isTroubled = true;
      isStarted = false;
      isFlowing = false;
    }
    if (isFirst) {
      LOG.warn("no wake-ups for {} until they are asked for again", keys, problem);
    }
  }

  private void wake() {
    boolean toRepeat;
    synchronized (this) {
      toRepeat = !isFlowing;
      isFlowing = true;
    }
    listener.wake(toRepeat);
  }

  void stop() {
    Disposable subscription;
    synchronized (this) {
      isStopped = true;
      subscription = this.subscription;
    }
    if (subscription != null) {
      subscription.dispose();
    }
  }
}
