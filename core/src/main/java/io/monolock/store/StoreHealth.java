// SPDX-License-Identifier: Apache-2.0
package io.monolock.store;

import java.util.Optional;

/**
 * What a store tells of itself when it is well.
 *
 * @param topology what it consists of, in a few words, as {@code standalone}
 * @param wakeUps whether those who wait are told when it is worth trying again, or only try by
 *     themselves; empty while that is not known, as nobody has to wait
 */
public record StoreHealth(String topology, Optional<Boolean> wakeUps) {}
