// SPDX-License-Identifier: Apache-2.0

/**
 * What runs in a client process. {@link io.monolock.benchmarks.client.ClientMain} is its program,
 * {@link io.monolock.benchmarks.client.Workloads} lists what it can do, and {@code WindowStatistics} counts.
 */
@NullMarked
package io.monolock.benchmarks.client;

import org.jspecify.annotations.NullMarked;
