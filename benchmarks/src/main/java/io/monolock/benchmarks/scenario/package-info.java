// SPDX-License-Identifier: Apache-2.0

/**
 * What is asked. {@link io.monolock.benchmarks.scenario.Scenarios} lists the questions; each is a
 * class that starts client processes on a {@code Bench}, lets them take turns, and makes a section
 * of the report of what they showed.
 */
@NullMarked
package io.monolock.benchmarks.scenario;

import org.jspecify.annotations.NullMarked;
