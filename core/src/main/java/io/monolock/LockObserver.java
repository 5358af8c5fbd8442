// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.time.Duration;
import java.util.Set;
import reactor.util.context.ContextView;

/**
 * Is called with what happens to the locks of one locker: for metrics, logs and tests.
 *
 * <p>All methods do nothing by default. They are called on the locker's {@code publishOn}
 * scheduler, one after the other for one {@code id}, and must not block. What they throw is logged
 * and goes no further. An {@code id} stands for one acquisition within this locker.
 */
public interface LockObserver {

  /**
   * A lock is asked for. The first call for every acquisition; {@link ReactiveLocker#attach} is
   * none.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   * @param context what the subscriber has in its Context, a trace for example
   */
  default void asked(long id, Set<String> keys, ContextView context) {}

  /**
   * A caller has to wait for a lock. At most once for each acquisition: after its first attempt
   * failed, or at once behind other waiters.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   */
  default void waiting(long id, Set<String> keys) {}

  /**
   * A lock was acquired and is about to be delivered.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   * @param waited from the subscription to the grant
   * @param attempts how many commands were sent for it; 0 if the lock was handed over to it
   */
  default void acquired(long id, Set<String> keys, Duration waited, int attempts) {}

  /**
   * An acquisition ended without a lock; also when it was cancelled while waiting.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   * @param waited from the subscription to the end
   * @param attempts how many commands were sent for it
   * @param reason the error that the subscriber gets; when it has cancelled, a {@link
   *     LockNotAcquiredException} that says so
   */
  default void notAcquired(
      long id, Set<String> keys, Duration waited, int attempts, Throwable reason) {}

  /**
   * The lease of a lock was prolonged by a refresh.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   */
  default void refreshed(long id, Set<String> keys) {}

  /**
   * A refresh failed and is tried again until the deadline.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   * @param reason why it failed
   */
  default void refreshFailed(long id, Set<String> keys, Throwable reason) {}

  /**
   * A lock was lost before it was released: its keys are gone or another's, or it reached its
   * deadline.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   * @param reason how
   */
  default void lost(long id, Set<String> keys, LockLostException.Reason reason) {}

  /**
   * A release has ended.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   * @param held from the grant to the call of release
   * @param wasOurs whether the keys were still ours; false too when the store did not answer until
   *     their ttl was over
   */
  default void released(long id, Set<String> keys, Duration held, boolean wasOurs) {}

  /**
   * A lock was granted but not delivered, as its subscriber had cancelled or given up. It is freed
   * in the background.
   *
   * @param id identifies the acquisition
   * @param keys the keys, sorted
   */
  default void abandoned(long id, Set<String> keys) {}
}
