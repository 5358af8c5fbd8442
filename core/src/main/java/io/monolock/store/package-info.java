// SPDX-License-Identifier: Apache-2.0
/**
 * The interface between the locker and the place that keeps its locks.
 *
 * <p>The idea: <em>a store makes single calls, each atomic, and nothing else</em>. Waiting, time
 * limits, refreshing and cancellation are implemented once, in the engine above it. So a new store
 * is a class of about ten methods.
 *
 * <p>Read {@link io.monolock.store.LockStore} first. Its calls take {@link
 * io.monolock.store.LockKeys} and a token; they answer with a {@link io.monolock.store.Grant}, a
 * {@link io.monolock.store.Transfer} or a {@link io.monolock.store.Holder}, or fail with a {@link
 * io.monolock.store.StoreFailure}, whose reason is one of {@link io.monolock.store.StoreProblem}.
 * {@link io.monolock.store.StoreHealth} is for monitoring, {@link io.monolock.store.Incarnation}
 * for quorums.
 *
 * <p>The contract that each store has to pass ships as a test interface, {@code LockStoreContract},
 * in the test-jar of this artifact.
 */
@NullMarked
package io.monolock.store;

import org.jspecify.annotations.NullMarked;
