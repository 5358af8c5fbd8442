// SPDX-License-Identifier: Apache-2.0
/**
 * Distributed locks for code that must not block.
 *
 * <p>{@link io.monolock.ReactiveLocker} is where to start: {@code locker.withLock("order:42", ttl,
 * work)} runs a Mono under a lock and frees the lock whatever becomes of it. {@link
 * io.monolock.Lock} is a lock in the hand, {@link io.monolock.LockOptions} says how to wait, hold
 * and free it, {@link io.monolock.LockException} is the root of the four errors, one for each
 * decision of the caller, and {@link io.monolock.LockObserver} hears what happens. Where the locks
 * live is a {@link io.monolock.store.LockStore}: {@link io.monolock.redis.RedisLockStore}, or
 * {@link io.monolock.memory.InMemoryLockStore} for tests and single processes.
 */
@NullMarked
package io.monolock;

import org.jspecify.annotations.NullMarked;
