// SPDX-License-Identifier: Apache-2.0
/**
 * What operators see of locks: {@link io.monolock.spring.actuate.HealthAutoConfiguration} shows
 * whether the store can be reached, {@link io.monolock.spring.actuate.EndpointAutoConfiguration}
 * which locks this instance holds and waits for.
 */
@NullMarked
package io.monolock.spring.actuate;

import org.jspecify.annotations.NullMarked;
