// SPDX-License-Identifier: Apache-2.0

/**
 * The measurements. {@link io.monolock.benchmarks.scenario.Scenarios} lists them; each is a {@code
 * Scenario} that starts {@code Client} processes on a {@code Bench}, measures them in turn with
 * {@code RoundRobin}, and returns a section of the results. {@link
 * io.monolock.benchmarks.scenario.BenchmarkSettings} say how long and how often.
 */
@NullMarked
package io.monolock.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
