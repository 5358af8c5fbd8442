// SPDX-License-Identifier: Apache-2.0
/**
 * Distributed locks for suspend functions and flows, as extensions of {@link
 * io.monolock.ReactiveLocker}.
 *
 * <p>{@code locker.withLock("order:42", 10.seconds) { charge() }} is where to start: it runs a block
 * under a lock and returns when the block has ended and the key is free. {@code acquire} and {@code
 * tryAcquire} give a {@link io.monolock.Lock} that the caller releases, {@code
 * flow.withLock(locker, key, ttl)} collects a flow under a lock, {@code lockOptions} sets options by
 * assignment, and {@code coroutineContext[HeldLock]} is the lock that a coroutine runs under.
 *
 * <p>The idea that carries it: a lock is released only after the block and all its children have
 * really ended, and that release cannot be cancelled. {@code LockScope} does this.
 */
@NullMarked
package io.monolock.coroutines;

import org.jspecify.annotations.NullMarked;
