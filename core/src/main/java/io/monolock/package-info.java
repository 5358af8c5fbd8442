// SPDX-License-Identifier: Apache-2.0
/**
 * Distributed locks for code that must not block: the whole API.
 *
 * <p>In the order in which to read it:
 *
 * <ol>
 *   <li>{@link io.monolock.ReactiveLocker} is where to start: {@code locker.withLock("order:42",
 *       ttl, work)} runs a Mono under a lock and frees the lock whatever becomes of it. {@code
 *       acquire} and {@code tryAcquire} give the lock itself, and {@link
 *       io.monolock.ReactiveLocker.Builder} has the settings of a locker.
 *   <li>{@link io.monolock.LockOptions} says how one lock is waited for, held and freed: ttl, retry
 *       spec, time limits, fencing.
 *   <li>{@link io.monolock.Lock} is the handle: how long it may be trusted, extend, release, and
 *       {@code keepAlive} and {@code whileHeld}, which end work when the lock is lost.
 *   <li>{@link io.monolock.LockException} is the root of the four errors, one for each decision of
 *       the caller: {@link io.monolock.LockNotAcquiredException} (try later), {@link
 *       io.monolock.LockLostException} (stop the work), {@link io.monolock.LockStoreException}
 *       (look at Redis) and {@link io.monolock.LockerClosedException} (this process is stopping).
 *   <li>{@link io.monolock.LockObserver} is called with what happens to the locks of a locker, and
 *       {@link io.monolock.LockActivity} is a line of the list that {@code activity()} gives.
 * </ol>
 *
 * <p>Where the locks are kept is a {@link io.monolock.store.LockStore}: {@link
 * io.monolock.redis.RedisLockStore}, or {@link io.monolock.memory.InMemoryLockStore} for tests and
 * single processes. How a locker waits, refreshes and cleans up is the package {@code
 * io.monolock.engine}, of which nothing but {@code ReactiveLocker.builder} is needed.
 */
@NullMarked
package io.monolock;

import org.jspecify.annotations.NullMarked;
