// SPDX-License-Identifier: Apache-2.0
package io.monolock;

import java.time.Duration;
import java.util.Set;

/**
 * One lock that somebody waits for, holds or releases, as {@link ReactiveLocker#activity} shows it.
 *
 * @param id tells acquisitions apart, the same as a {@link LockObserver} is told
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
    /** Somebody waits for it. */
    WAITING,
    /** Somebody has it. */
    HELD,
    /** It was given back, and the store has not confirmed that yet. */
    RELEASING
  }
}
