// SPDX-License-Identifier: Apache-2.0

/**
 * The same work measured by JMH. {@link io.monolock.benchmarks.jmh.JmhRun} is the main program of
 * {@code benchmarks.jar}, {@link io.monolock.benchmarks.jmh.FreeKeyBenchmark} a place to start.
 */
@NullMarked
package io.monolock.benchmarks.jmh;

import org.jspecify.annotations.NullMarked;
