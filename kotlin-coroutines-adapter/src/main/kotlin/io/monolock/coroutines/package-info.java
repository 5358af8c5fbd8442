// SPDX-License-Identifier: Apache-2.0
/**
 * Distributed locks for suspend functions and flows.
 *
 * <p>{@code locker.suspending()} is where to start: a {@code SuspendingLocker}, whose {@code
 * withLock("order:42") { charge() }} runs a block under a lock and returns when the block has ended
 * and the key is free. Its {@code tryWithLock} does so only if the key can be had at once, {@code
 * acquire} and {@code tryAcquire} give a {@link io.monolock.Lock} that the caller releases, and
 * {@code mutex("order:42")} keeps the key. {@code locker.withLock("order:42", 10.seconds) { ... }}
 * is the one extension of {@link io.monolock.ReactiveLocker} itself, {@code flow.withLock(locker,
 * key, ttl)} collects a flow under a lock, {@code lockOptions} sets options by assignment, and
 * {@code coroutineContext[HeldLock]} is the lock that a coroutine runs under.
 *
 * <p>The idea that carries it: a lock is released only after the block and all its children have
 * really ended, and that release cannot be cancelled. {@code LockScope} does this.
 */
@NullMarked
package io.monolock.coroutines;

import org.jspecify.annotations.NullMarked;
