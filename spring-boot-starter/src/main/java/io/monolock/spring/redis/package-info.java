// SPDX-License-Identifier: Apache-2.0
/**
 * Where the locks of an application are kept: {@link
 * io.monolock.spring.redis.RedisStoreConfiguration} finds the Redis server that its properties or
 * beans name.
 */
@NullMarked
package io.monolock.spring.redis;

import org.jspecify.annotations.NullMarked;
