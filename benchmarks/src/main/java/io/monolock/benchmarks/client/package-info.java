// SPDX-License-Identifier: Apache-2.0

/**
 * The client processes. {@link io.monolock.benchmarks.client.ClientMain} is the program of one; its
 * {@link io.monolock.benchmarks.client.ClientSession} executes the commands of a scenario.
 *
 * <p>{@link io.monolock.benchmarks.client.Workloads} lists the work that a client can do. Workloads
 * of two kinds share their code: a {@code MeasuredWorkload} records the time of each operation in
 * {@code WindowStatistics}, most with {@code CallerLoops} of callers without pauses; an {@code
 * IdleWorkload} keeps many subscriptions open. {@code ExclusionCheck} and {@code OvertakingCounter}
 * check the grants while they are measured.
 */
@NullMarked
package io.monolock.benchmarks.client;

import org.jspecify.annotations.NullMarked;
