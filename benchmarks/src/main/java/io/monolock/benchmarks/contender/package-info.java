// SPDX-License-Identifier: Apache-2.0

/**
 * The ways to lock that are measured. {@link io.monolock.benchmarks.contender.Contender} is one,
 * {@link io.monolock.benchmarks.contender.Contenders} lists them, {@link
 * io.monolock.benchmarks.contender.Caller} is somebody who takes a lock in that way.
 */
@NullMarked
package io.monolock.benchmarks.contender;

import org.jspecify.annotations.NullMarked;
