// SPDX-License-Identifier: Apache-2.0
/**
 * Locks for Spring WebFlux.
 *
 * <p>{@link io.monolock.spring.MonolockAutoConfiguration} gives the application a {@link
 * io.monolock.ReactiveLocker}; {@link io.monolock.spring.Locked} puts a lock around a method of a
 * bean; {@link io.monolock.spring.LockerBuilderCustomizer} changes what no property covers. One
 * package each for the rest: {@code redis} finds the server, {@code aop} runs the annotated
 * methods, {@code coroutines} gives them the locker, {@code web} answers HTTP clients, {@code
 * actuate} and {@code metrics} show locks to operators.
 */
@NullMarked
package io.monolock.spring;

import org.jspecify.annotations.NullMarked;
