// SPDX-License-Identifier: Apache-2.0
package io.monolock.chaos;

import io.monolock.Lock;
import io.monolock.chaos.CallEvent.HandleHeld;
import java.time.Duration;
import java.util.List;

/** Polls one handle from when it was received until its body ends. */
final class HandleWatch {

  private final HandleWatcher watcher;
  private final String call;
  private final Lock lock;
  private final boolean listens;
  private final long receivedAt = System.nanoTime();
  private final long sentAt;
  private long validUntil = HandleHeld.NEVER;
  private long invalidSince = HandleHeld.NEVER;
  private List<Long> lateBefore = List.of();
  private boolean revived;
  private boolean hasEnded;

  HandleWatch(HandleWatcher watcher, String call, Lock lock, Duration ttl, boolean listens) {
    this.watcher = watcher;
    this.call = call;
    this.lock = lock;
    this.listens = listens;
    this.sentAt = receivedAt - sinceSent(lock, ttl);
  }

  /** A lease counts from when its command was sent, less 1 % of the ttl and 2 ms. */
  private static long sinceSent(Lock lock, Duration ttl) {
    long lease = ttl.toNanos() - ttl.toNanos() / 100 - 2_000_000;
    return Math.max(0, lease - lock.remaining().toNanos());
  }

  synchronized void poll() {
    if (hasEnded) {
      return;
    }
    long before = System.nanoTime();
    if (lock.isValid()) {
      validUntil = before;
      revived |= invalidSince != HandleHeld.NEVER;
    } else if (invalidSince == HandleHeld.NEVER) {
      invalidSince = System.nanoTime();
      lateBefore = watcher.lateness();
    }
  }

  boolean isValid() {
    poll();
    return lock.isValid();
  }

  /** Ends the watch: the body was cancelled, was notified of the loss, or has ended. */
  synchronized void end() {
    if (hasEnded) {
      return;
    }
    long now = System.nanoTime();
    hasEnded = true;
    watcher.ended(
        this,
        new HandleHeld(
            receivedAt,
            sentAt,
            call,
            List.copyOf(lock.keys()),
            lock.fencingToken().orElseThrow(),
            validUntil,
            invalidSince,
            now,
            watcher.latenessSince(lateBefore),
            listens,
            revived));
  }
}
