// SPDX-License-Identifier: Apache-2.0
/**
 * Locks as operators of Reactor. The idea that carries it: what a flow holds is in its Reactor
 * Context and nowhere else.
 *
 * <p>{@link io.monolock.reactor.LockOperators} is where to start: it puts what stands above it in a
 * chain under a lock, or each element under the lock of its own key. {@link
 * io.monolock.reactor.CurrentLock} is the lock that the present flow holds. {@link
 * io.monolock.reactor.ReentrantLocker} lets a flow enter again what it holds already. {@link
 * io.monolock.reactor.Leadership} runs a Flux on one instance at a time, and a job once a period.
 */
@NullMarked
package io.monolock.reactor;

import org.jspecify.annotations.NullMarked;
