// SPDX-License-Identifier: Apache-2.0
/**
 * Locks in Redis, over Lettuce.
 *
 * <p>{@link io.monolock.redis.RedisLockStore} is all there is to see. Behind it, each call is one
 * Lua script, in a file of its own next to these classes, that runs over a shared connection, or
 * over a second one if it is the attempt of somebody who waits, where the server pushes what may be
 * worth another attempt; and one table says what an error of the server means to a lock.
 */
@NullMarked
package io.monolock.redis;

import org.jspecify.annotations.NullMarked;
