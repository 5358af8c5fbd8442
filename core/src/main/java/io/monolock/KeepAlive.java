// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import io.monolock.LockLostException.Reason;
import io.monolock.store.StoreFailure;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Refreshes one lock while somebody watches it, and tells the watchers when it is lost.
 *
 * <p>A refresh comes at a third of the ttl after the last confirmed one, or a little earlier, so
 * that locks taken together do not refresh together. One that fails is tried again, after growing
 * pauses, until the deadline. There is at most one command under way that is not overdue.
 */
final class KeepAlive {

  /** Whoever relies on the lock; told at most once, on the users' scheduler. */
  interface Watcher {
    void lost(LockLostException loss);
  }

  private static final Duration FIRST_PAUSE = Duration.ofMillis(10);

  private final HeldLock lock;
  private final Claim claim;
  private final LockerRuntime runtime;
  private final Duration period;
  private final Set<Watcher> watchers = ConcurrentHashMap.newKeySet();

  private long confirmedAt;
  private Duration pause = FIRST_PAUSE;
  private boolean troubled;
  private boolean capped;
  private int turn;
  private @Nullable LockLostException loss;
  private Wheel.@Nullable Task next;
  private Wheel.@Nullable Task patience;

  KeepAlive(HeldLock lock, Claim claim, long askedAt) {
    this.lock = lock;
    this.claim = claim;
    this.runtime = claim.runtime;
    this.period = claim.options.ttl().dividedBy(3);
    this.confirmedAt = askedAt;
  }

  void add(Watcher watcher) {
    LockLostException loss;
    synchronized (this) {
      loss = this.loss;
      if (loss == null) {
        watchers.add(watcher);
        if (next == null && claim.options.autoRefresh()) {
          next = runtime.wheel.at(confirmedAt + early(period), this::refresh);
        }
      }
    }
    if (loss != null) {
      tell(watcher, loss);
    }
  }

  synchronized void remove(Watcher watcher) {
    if (watchers.remove(watcher) && watchers.isEmpty()) {
      stop();
    }
  }

  /** The lock has ended: nothing is refreshed any more, and all watchers are told. */
  void end(LockLostException loss) {
    synchronized (this) {
      this.loss = loss;
      stop();
    }
    watchers.forEach(watcher -> tell(watcher, loss));
    watchers.clear();
  }

  private void tell(Watcher watcher, LockLostException loss) {
    runtime.publish(() -> watcher.lost(loss));
  }

  synchronized Reason reasonAtDeadline() {
    if (capped) {
      return Reason.MAX_HOLD;
    }
    return troubled ? Reason.UNREACHABLE : Reason.EXPIRED;
  }

  private void stop() {
    turn++;
    if (next != null) {
      next.cancel();
      next = null;
    }
    if (patience != null) {
      patience.cancel();
      patience = null;
    }
  }

  private static long early(Duration period) {
    double share = ThreadLocalRandom.current().nextDouble(0.85, 1.0);
    return (long) (period.toNanos() * share);
  }

  private void refresh() {
    if (lock.loss() != null) {
      return;
    }
    long askedAt = runtime.now();
    Duration ttl = cappedTtl(askedAt);
    int turn;
    synchronized (this) {
      capped = ttl.compareTo(claim.options.ttl()) < 0;
      if (watchers.isEmpty() || !lock.wouldProlong(askedAt, ttl)) {
        return;
      }
      turn = ++this.turn;
      Duration limit =
          period.compareTo(runtime.commandTimeout) < 0 ? period : runtime.commandTimeout;
      patience =
          runtime.wheel.after(
              limit, () -> failed(turn, runtime.unanswered(StoreFailure.Reason.UNKNOWN_OUTCOME)));
    }
    Answer.hear(
        () -> runtime.store.extend(claim.keys, claim.token, ttl),
        claim.context,
        ours -> answered(turn, askedAt, ttl, ours),
        failure -> failed(turn, failure));
  }

  /** The ttl, or what is left of maxHold. */
  private Duration cappedTtl(long askedAt) {
    long left = lock.grantedAt() + claim.options.maxHold().toNanos() - askedAt;
    Duration ttl = claim.options.ttl();
    return left >= ttl.toNanos() ? ttl : Duration.ofMillis(Math.max(1, left / 1_000_000));
  }

  private void answered(int turn, long askedAt, Duration ttl, boolean ours) {
    if (!ours) {
      lock.lose(Reason.TAKEN);
    } else if (lock.confirm(askedAt, ttl)) {
      runtime.observer.refreshed(claim.id, lock.keys());
      synchronized (this) {
        confirmedAt = Math.max(confirmedAt, askedAt);
        troubled = false;
        pause = FIRST_PAUSE;
        goOn(turn, confirmedAt + early(period));
      }
    }
  }

  private void failed(int turn, StoreFailure failure) {
    synchronized (this) {
      if (turn != this.turn) {
        return;
      }
      troubled = true;
      goOn(turn, runtime.now() + pause.toNanos());
      Duration longer = pause.multipliedBy(2);
      pause = longer.compareTo(period) < 0 ? longer : period;
    }
    runtime.observer.refreshFailed(claim.id, lock.keys(), claim.failure("refresh", failure));
  }

  /** Plans the next refresh, if this was the latest one and somebody still watches. */
  private void goOn(int turn, long time) {
    if (turn != this.turn) {
      return;
    }
    stop();
    if (!watchers.isEmpty() && loss == null) {
      next = runtime.wheel.at(time, this::refresh);
    }
  }
}
