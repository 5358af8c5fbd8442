// SPDX-License-Identifier: Apache-2.0
/**
 * Locks for coroutines: {@link io.monolock.spring.coroutines.CoroutinesAutoConfiguration} gives
 * them the locker of the application, with functions that suspend.
 */
@NullMarked
package io.monolock.spring.coroutines;

import org.jspecify.annotations.NullMarked;
