// SPDX-License-Identifier: Apache-2.0

/**
 * A program that measures Monolock beside others. {@link io.monolock.benchmarks.Benchmarks} is the
 * command line; a new contender goes to the package {@code contender}, a new question to {@code
 * scenario}, and new work for client processes to {@code client}.
 */
@NullMarked
package io.monolock.benchmarks;

import org.jspecify.annotations.NullMarked;
