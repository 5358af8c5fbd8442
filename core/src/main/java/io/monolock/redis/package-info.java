// SPDX-License-Identifier: Apache-2.0
/**
 * Locks in Redis, over Lettuce.
 *
 * <p>{@link io.monolock.redis.RedisLockStore} is all there is to see. Behind it, each call is one
 * Lua script, in a file of its own next to these classes, that runs over one shared connection; and
 * one table says what an error of the server means to a lock.
 */
@NullMarked
package io.monolock.redis;

import org.jspecify.annotations.NullMarked;
