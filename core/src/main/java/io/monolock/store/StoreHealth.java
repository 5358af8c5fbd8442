// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.util.Optional;

/**
 * What a store reports when it is healthy.
 *
 * @param topology the kind of deployment in a few words, such as {@code standalone}
 * @param wakeUps whether waiters are woken when it is worth trying again, or only try by
 *     themselves; empty while that is unknown because there are no waiters
 */
public record StoreHealth(String topology, Optional<Boolean> wakeUps) {}
