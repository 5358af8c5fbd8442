// SPDX-License-Identifier: Apache-2.0
package io.monolock.reactor;

import io.monolock.Lock;
import io.monolock.LockException;
import io.monolock.LockLostException;
import io.monolock.LockNotAcquiredException;
import io.monolock.LockStoreException;
import io.monolock.reactor.Leadership.Status;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.util.retry.Retry;
import reactor.util.retry.RetryBackoffSpec;

/**
 * One subscription of {@link Leadership#whileLeader}: reports its status, and decides which
 * failures end it and after which it contends again.
 */
final class ElectionAttempt {

  private static final long FIRST_PAUSE = Duration.ofMillis(100).toMillis();
  private static final long LONGEST_PAUSE = Duration.ofSeconds(5).toMillis();

  private final LeadershipState state;
  private volatile @Nullable Lock lock;
  private volatile @Nullable Throwable workError;
  private volatile long pause = FIRST_PAUSE;

  ElectionAttempt(LeadershipState state) {
    this.state = state;
  }

  @Nullable Lock lock() {
    return lock;
  }

  void elected(Lock lock) {
    this.lock = lock;
    pause = FIRST_PAUSE;
    state.changed(this, Status.LEADING, null);
  }

  void workFailed(Throwable e) {
    workError = e;
  }

  /** The user's spec, with each failed attempt reported: so trouble shows while it still waits. */
  Retry reporting(Retry retry) {
    if (retry instanceof RetryBackoffSpec backoff) {
      return backoff.doBeforeRetry(signal -> attemptFailed(signal.failure()));
    }
    return Retry.from(
        signals ->
            retry.generateCompanion(signals.doOnNext(signal -> attemptFailed(signal.failure()))));
  }

  private void attemptFailed(Throwable failure) {
    if (failure instanceof LockStoreException trouble) {
      state.changed(this, Status.TROUBLED, trouble);
    } else {
      state.changed(this, Status.WAITING, null);
    }
  }

  /** Contends again after a pause, never at once: the store may be the problem. */
  Retry retryAfterPause(Scheduler timer) {
    return Retry.from(
        signals ->
            signals.concatMap(
                signal ->
                    mayRetry(signal.failure())
                        ? Mono.delay(pauseAfter((LockException) signal.failure()), timer)
                        : Mono.error(signal.failure())));
  }

  @SuppressWarnings("ReferenceEquality") // the work's own error, not one like it
  private boolean mayRetry(Throwable failure) {
    if (failure == workError && !isLossOfOwnLock(failure)) {
      return false;
    }
    return failure instanceof LockLostException
        || failure instanceof LockNotAcquiredException
        || (failure instanceof LockStoreException trouble && trouble.isTransient());
  }

  /** The work may have failed with the loss that its own lock signalled. */
  private boolean isLossOfOwnLock(Throwable failure) {
    Lock own = lock;
    return failure instanceof LockLostException loss
        && own != null
        && !own.isValid()
        && own.keys().equals(loss.keys());
  }

  private Duration pauseAfter(LockException failure) {
    if (failure instanceof LockStoreException) {
      state.changed(this, Status.TROUBLED, failure);
    } else {
      state.changed(this, Status.WAITING, failure instanceof LockLostException ? failure : null);
    }
    long millis = pause;
    pause = Math.min(2 * millis, LONGEST_PAUSE);
    return Duration.ofMillis(millis / 2 + ThreadLocalRandom.current().nextLong(millis / 2 + 1));
  }
}
