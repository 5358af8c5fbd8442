// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.time.Duration;
import java.util.Set;

/**
 * One lock that a caller waits for, holds or releases, as {@link ReactiveLocker#activity} shows it.
 *
 * @param id identifies the acquisition, as in calls of a {@link LockObserver}
 * @param keys the keys, sorted
 * @param state what is going on
 * @param age since it was asked for, while it is waited for; then since it was granted
 * @param remaining how long it may still be trusted without a refresh, {@link Lock#remaining()};
 *     zero unless it is held
 */
public record LockActivity(
    long id, Set<String> keys, State state, Duration age, Duration remaining) {

  /** What is going on. */
  public enum State {
    /** A caller waits for it. */
    WAITING,
    /** A caller has it. */
    HELD,
    /** It was given back, and the store has not confirmed that yet. */
    RELEASING
  }
}
