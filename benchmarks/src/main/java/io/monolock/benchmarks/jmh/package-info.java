// SPDX-License-Identifier: Apache-2.0

/**
 * The workloads measured by JMH. {@link io.monolock.benchmarks.jmh.JmhRun} is the main program of
 * {@code benchmarks.jar}, {@link io.monolock.benchmarks.jmh.FreeKeyBenchmark} a benchmark to start
 * with. A {@code BusyContender} runs the load, {@link io.monolock.benchmarks.jmh.WindowProfiler}
 * adds what the server and the client used, and {@code JmhReport} converts the results.
 */
@NullMarked
package io.monolock.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
