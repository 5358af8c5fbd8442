// SPDX-License-Identifier: Apache-2.0

/**
 * A program that measures Monolock beside other ways to lock, on Redis servers that it starts.
 *
 * <p>{@link io.monolock.benchmarks.Benchmarks} is the command line. It runs each of {@link
 * io.monolock.benchmarks.scenario.Scenarios}, which starts client processes ({@link
 * io.monolock.benchmarks.client.ClientMain}) for some {@link
 * io.monolock.benchmarks.contender.Contenders}, and writes what they measured into the {@link
 * io.monolock.benchmarks.report.Document}. The package {@code jmh} measures the same work with JMH.
 *
 * <p>A new contender goes to the package {@code contender}, a new measurement to {@code scenario},
 * and new work for client processes to {@code client}.
 */
@NullMarked
package io.monolock.benchmarks;

import org.jspecify.annotations.NullMarked;
