// SPDX-License-Identifier: Apache-2.0
/**
 * What a place that keeps locks has to do, and nothing else: for those who write a store.
 *
 * <p>{@link io.monolock.store.LockStore} is the interface to implement: a few calls, each of them
 * atomic. {@link io.monolock.store.LockKeys} is what they act on, {@link io.monolock.store.Grant}
 * and {@link io.monolock.store.Transfer} are what they answer, {@link io.monolock.store.Holder} is
 * what an onlooker may see, {@link io.monolock.store.Incarnation} is who answers, and {@link
 * io.monolock.store.StoreFailure} is how they fail. Waiting, time limits, refresh and cancellation
 * live once, above the store. The contract a store has to pass ships as a test interface, {@code
 * LockStoreContract}, in the test-jar of this artifact.
 */
@NullMarked
package io.monolock.store;

import org.jspecify.annotations.NullMarked;
