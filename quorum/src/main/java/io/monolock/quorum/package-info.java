// SPDX-License-Identifier: Apache-2.0
/**
 * Locks on several independent stores, of which a minority may be lost.
 *
 * <p>{@link io.monolock.quorum.QuorumLockStore} is the entry: it makes one store of an odd number
 * of others, and holds a lock when a majority of them does. To a locker it is a store like any
 * other one.
 */
@NullMarked
package io.monolock.quorum;

import org.jspecify.annotations.NullMarked;
