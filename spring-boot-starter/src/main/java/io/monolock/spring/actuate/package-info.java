// SPDX-License-Identifier: Apache-2.0
/**
 * What operators see of locks: {@link io.monolock.spring.actuate.HealthAutoConfiguration} tells
 * whether locks can be had, {@link io.monolock.spring.actuate.EndpointAutoConfiguration} who has
 * which.
 */
@NullMarked
package io.monolock.spring.actuate;

import org.jspecify.annotations.NullMarked;
